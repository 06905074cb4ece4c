// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitSystem
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

/// Compares zones with Python's zoneinfo.
final class ZoneFileTests: XCTestCase {
    /// Output of zones.py: for each zone, offsets at some instants.
    private func zones(_ arguments: String...) throws -> [(name: String, offsets: [(Int64, Int)])] {
        let output = try Program.succeed(["python3", TestScripts.path("zones.py")] + arguments)
        return output.lines.map { line in
            let parts = line.split(separator: "\t")
            return (
                String(parts[0]),
                parts[1].split(separator: " ").map { pair in
                    let numbers = pair.split(separator: ",")
                    return (Int64(numbers[0]) ?? 0, Int(numbers[1]) ?? .max)
                }
            )
        }
    }

    func testAllZonesMatchPython() throws {
        let seed = Int.random(in: 0..<1_000_000)
        let zones = try zones("\(seed)")
        XCTAssertGreaterThan(zones.count, 400)
        var count = 0
        for (name, offsets) in zones {
            let zone = try ServerZone(name)
            // In the short form a fourth of the instants, others for each zone.
            for (instant, offset) in offsets where TestForm.isDeep || Int.random(in: 0..<4) == 0 {
                count += 1
                guard zone.utcOffset(at: instant) != offset else { continue }
                XCTFail("\(name) at \(instant): \(zone.utcOffset(at: instant)), not \(offset); seed \(seed)")
                break
            }
        }
        XCTAssertGreaterThan(count, TestForm.isDeep ? 50_000 : 10_000)
    }

    func testZeroBasedDayRulesMatchTheCLibrary() throws {
        // From `TZ='XXX4YYY,59/24,300/100' date -d @…`; Python counts these days from one.
        let rule = try XCTUnwrap(ZoneRule("XXX4YYY,59/24,300/100"))
        XCTAssertEqual(rule.utcOffset(at: 920_268_000), -14_400)
        XCTAssertEqual(rule.utcOffset(at: 920_346_000), -14_400)
        XCTAssertEqual(rule.utcOffset(at: 920_347_300), -10_800)
        // 28 February of a leap year, where Python is also a day late.
        XCTAssertEqual(try XCTUnwrap(ZoneRule("XXX4YYY,J59/24,J300/100")).utcOffset(at: 951_804_000), -10_800)
    }

    func testRulesMatchPython() throws {
        for rule in [
            "CET-1CEST,M3.5.0,M10.5.0/3", "IST-1GMT0,M10.5.0,M3.5.0/1", "AEST-10AEDT,M10.1.0,M4.1.0/3",
            "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "EST5EDT,0/0,J365/25", "NST3:30NDT,M3.2.0,M11.1.0",
            "<+0330>-3:30", "XXX-2YYY,J60/0,J300/-5", "XXX4YYY,J61/24,J300/167",
        ] {
            for (hex, offsets) in try zones("--rule", rule) {
                let digits = Array(hex.utf8)
                let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                    UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
                }
                let zone = try XCTUnwrap(ZoneFile(bytes))
                let wrong = offsets.filter { zone.utcOffset(at: $0.0) != $0.1 }
                XCTAssertTrue(wrong.isEmpty, "\(rule): \(wrong.count), \(wrong.prefix(3))")
            }
        }
    }

    func testInvalidZonesAreRefused() {
        for name in [
            "", "Nowhere/Else", "../etc/passwd", "/etc/passwd", "Asia", "Asia/Shanghai ", "zone.tab",
            "+25:00", "+8",
            "+14:01", "+08:60", "Asia/Shanghai\u{0}", "+0８:00", "-", "+", "utc offset",
        ] {
            XCTAssertThrowsError(try ServerZone(name), name) {
                XCTAssertEqual($0 as? ClientError, .invalidProfile)
            }
        }
    }

    func testOffsetsAreRead() throws {
        let expected = [
            "+08:00": 28_800, "-0330": -12_600, "+14": 50_400, "-12:00": -43_200, "UTC": 0, "GMT": 0, "Z": 0,
            "Asia/Kathmandu": 20_700,
        ]
        for (text, offset) in expected {
            XCTAssertEqual(try ServerZone(text).utcOffset(at: 1_471_399_200), offset)
        }
    }

    func testRandomBytesDoNotCrash() throws {
        for name in ["Europe/Dublin", "Africa/Casablanca", "Asia/Shanghai", "UTC"] {
            let path = "/usr/share/zoneinfo/\(name)"
            let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            XCTAssertNotNil(ZoneFile(whole))
            for count in 0..<min(whole.count, 700) { ask(ZoneFile(Array(whole.prefix(count)))) }
            for _ in 0..<3_000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4) {
                    // Damage in the headers and the rule matters most.
                    let place = [
                        Int.random(in: 0..<44), Int.random(in: 0..<bytes.count),
                        bytes.count - Int.random(in: 1...30),
                    ]
                    bytes[place.randomElement() ?? 0] =
                        [0, 1, 127, 128, 255, .random(in: 0...255)].randomElement() ?? 0
                }
                ask(ZoneFile(bytes))
            }
        }
        let letters = Array("ABC<>+-0123456789:,MJ./")
        for _ in 0..<20_000 {
            let text =
                "CET-1CEST,"
                + String((0..<Int.random(in: 0..<20)).compactMap { _ in letters.randomElement() })
            guard let rule = ZoneRule(text) else { continue }
            for instant: Int64 in [.min, -1, 0, 1 << 39, .max] { _ = rule.utcOffset(at: instant) }
        }
    }

    private func ask(_ zone: ZoneFile?) {
        for instant: Int64 in [
            .min, -62_135_596_801, -1, 0, 1_471_399_200, 4_102_444_800, 253_402_300_800, .max,
        ] {
            _ = zone?.utcOffset(at: instant)
        }
    }
}
