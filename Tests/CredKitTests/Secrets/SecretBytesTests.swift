// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

final class SecretBytesTests: XCTestCase {
    func testStoresItsContent() throws {
        for count in [0, 1, 31, 32, 33, 1024, 1025, 4096, 100_000] {
            let bytes = SecureRandom.bytes(count: count)
            let secret = try SecretBytes(bytes)
            XCTAssertEqual(secret.count, count)
            XCTAssertEqual(secret.isEmpty, count == 0)
            XCTAssertEqual(secret.withSecretBytes { span in span.indices.map { span[$0] } }, bytes)
        }
        XCTAssertEqual(try SecretBytes("pässwörd\0!").count, 12)
    }

    func testIsInitializedInPlaceUpToItsCapacity() throws {
        let secret = try SecretBytes(capacity: 100) { output in
            for byte in "secret".utf8 { output.append(byte) }
        }
        XCTAssertEqual(secret, try SecretBytes("secret"))
        XCTAssertEqual(try SecretBytes(capacity: 0) { _ in }, try SecretBytes(""))
    }

    func testComparesAllBytes() throws {
        let bytes = SecureRandom.bytes(count: 64)
        let secret = try SecretBytes(bytes)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            XCTAssertNotEqual(try SecretBytes(other), secret)
        }
        XCTAssertNotEqual(try SecretBytes(bytes.dropLast()), secret)
        XCTAssertEqual(try SecretBytes(bytes), secret)
    }

    func testSecretIsNeverPrinted() throws {
        struct Account { let name = "alice"; let password: SecretBytes }
        let secret = try SecretBytes("hunter2")
        var dumped = ""
        dump(Account(password: secret), to: &dumped)
        let texts = [
            "\(secret)", String(describing: secret), String(reflecting: secret),
            "\(Account(password: secret))",
            "\([secret])", "\(Optional(secret) as Any)", dumped,
            String(describing: Mirror(reflecting: secret)),
            "\(Mirror(reflecting: secret).children.map { $0 })",
        ]
        for text in texts {
            XCTAssertFalse(text.contains("hunter2"), text)
            XCTAssertFalse(text.contains("104"), text)  // the first byte in decimal
        }
        XCTAssertEqual("\(secret)", "‹redacted›")
        XCTAssertTrue(Mirror(reflecting: secret).children.isEmpty)
    }

    func testAHundredThousandLiveSecretsWork() throws {
        let secrets = try (0..<100_000).map { number in
            try SecretBytes(capacity: 32) { output in
                for index in 0..<32 { output.append(UInt8(truncatingIfNeeded: number >> (index % 4 * 8))) }
            }
        }
        for (number, secret) in secrets.enumerated() where TestForm.isDeep || number % 10 == 0 {
            let isIntact = secret.withSecretBytes { span in
                span.count == 32
                    && span.indices.allSatisfy {
                        span[$0] == UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8))
                    }
            }
            XCTAssertTrue(isIntact, "secret \(number)")
        }
    }

    func testRegionsAreReturnedToTheSystem() throws {
        let before = SecretMemory.status
        var secrets = try (0..<10_000).map { _ in try SecretBytes(randomByteCount: 32) }
        let large = try SecretBytes(randomByteCount: 1 << 20)
        let during = SecretMemory.status
        XCTAssertGreaterThan(
            during.locked.bytes + during.unlocked.bytes,
            before.locked.bytes + before.unlocked.bytes + 320_000 + large.count - 64 * 1024
        )
        secrets.shuffle()
        while secrets.popLast() != nil {}
        withExtendedLifetime(large) {}
        let after = SecretMemory.status
        XCTAssertLessThan(
            after.locked.bytes + after.unlocked.bytes,
            before.locked.bytes + before.unlocked.bytes + 64 * 1024 + (1 << 20)
        )
    }

    func testIsWipedWithTheLastCopy() throws {
        // A neighbour keeps the region mapped, so that the test can read the memory afterwards.
        let neighbour = try SecretBytes(randomByteCount: 200)
        var secret: SecretBytes? = try SecretBytes([UInt8](repeating: 0xA5, count: 200))
        var copy = secret
        let address = try XCTUnwrap(secret?.withSecretBytes { $0.withUnsafeBufferPointer { $0.baseAddress } })
        let place = UnsafeBufferPointer(start: address, count: 200)

        secret = nil
        XCTAssertTrue(place.allSatisfy { $0 == 0xA5 }, "the secret was not wiped")
        XCTAssertNotNil(copy)
        copy = nil
        XCTAssertTrue(place.allSatisfy { $0 == 0 })
        withExtendedLifetime(neighbour) {}
    }

    func testPagesAreLockedAndExcludedFromCoreDumps() throws {
        try skipUnderSanitizer()
        for count in [32, 100_000] {
            let secret = try SecretBytes(randomByteCount: count)
            let address = secret.withSecretBytes {
                $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }
            let flags = try Self.mappingFlags(at: address)
            XCTAssertTrue(flags.contains("dd"), "not left out of core dumps: \(flags)")
            XCTAssertEqual(flags.contains("lo"), secret.isLocked, "\(flags)")
        }
    }

    /// Returns the flags of the mapping that contains an address, from /proc/self/smaps.
    private static func mappingFlags(at address: UInt) throws -> [Substring] {
        let file = try XCTUnwrap(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var isInside = false
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 { isInside = (bounds[0]..<bounds[1]).contains(address) }
            if isInside && words[0] == "VmFlags:" { return Array(words.dropFirst()) }
        }
        throw CocoaError(.fileReadCorruptFile)
    }

    func testFailedAllocationIsThrown() {
        for count in [1 << 50, Int.max] {
            XCTAssertThrowsError(try SecretBytes(capacity: count) { _ in XCTFail("initialised") }) {
                XCTAssertEqual(($0 as? SecretMemoryError)?.requested, .bytes(count))
            }
        }
    }

    func testManyThreadsAtOnce() throws {
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var kept: [(SecretBytes, [UInt8])] = []
            for step in 0..<500 {
                let bytes = [UInt8](
                    repeating: UInt8(truncatingIfNeeded: thread &* 31 &+ step),
                    count: 1 + step % 1500
                )
                guard let secret = try? SecretBytes(bytes) else { return XCTFail("no memory") }
                kept.append((secret, bytes))
                if step.isMultiple(of: 3) { kept.swapAt(0, kept.count - 1); kept.removeLast() }
            }
            for (secret, bytes) in kept {
                XCTAssertTrue(secret.withSecretBytes { ConstantTime.areEqual($0, bytes.span) })
            }
        }
    }

    func testRandomSecretsDiffer() throws {
        let secrets = try (0..<100).map { _ in try SecretBytes(randomByteCount: 16) }
        for (index, secret) in secrets.enumerated() {
            XCTAssertFalse(secrets[(index + 1)...].contains(secret))
        }
        XCTAssertTrue(try SecretBytes(randomByteCount: 0).isEmpty)
    }
}
