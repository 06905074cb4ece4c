// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// Compares codes and URIs of random keys with pyotp, and codes with oathtool: some thousand, 20,000 with `CREDKIT_DEEP`.
final class OneTimeCodePeerTests: XCTestCase {
    private static let isDeep = TestForm.isDeep

    func testAgreesWithPyotp() throws {
        let count = Self.isDeep ? 20_000 : 2000
        let lines = try python(["make", "\(count)", "4226"])
        XCTAssertEqual(lines.count, count)
        var questions: [String] = []
        var answers: [[String]] = []
        for line in lines {
            let fields = self.fields(line)
            guard fields.count == 6, let moment = UInt64(fields[2]) else { return XCTFail(line) }
            let key = try OneTimeCodeKey(uri: fields[0])
            XCTAssertEqual(key, try reread(key))
            XCTAssertEqual(key.issuer ?? "", fields[4], line)
            XCTAssertEqual(key.account, fields[5], line)
            let typed = try OneTimeCodeKey(base32: fields[1].lowercased())
            XCTAssertEqual(typed.seed, key.seed)
            XCTAssertEqual(try code(of: key, moment).text, fields[3], line)
            questions.append("\(text(try key.uri()))\t\(moment)\n")
            answers.append([fields[3], fields[4], fields[5]])
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(questions.joined(), "uris")
        let read = try withExtendedLifetime(folder) { try python(["read", path]) }
        XCTAssertEqual(read.map(fields), answers)
    }

    func testAgreesWithOathtool() throws {
        var generator = SeededGenerator(seed: 2026)
        var script = ""
        var expected: [String] = []
        for _ in 0..<(Self.isDeep ? 1000 : 100) {
            let seed = generator.bytes(count: 1...140)
            let digits = Int.random(in: 6...8, using: &generator)
            let isCounter = Bool.random(using: &generator)
            let period = Int64.random(in: 1...3600, using: &generator)
            let moment = UInt64.random(in: 0...(1 << 36), using: &generator)
            let algorithm = OneTimeCodeKey.Algorithm.allCases.randomElement(using: &generator) ?? .sha1
            let key = try OneTimeCodeKey(
                seed: SecretBytes(seed),
                kind: isCounter ? .counter(next: 0) : .time(period: .seconds(period)),
                algorithm: isCounter ? .sha1 : algorithm,
                digitCount: digits
            )
            let mode =
                isCounter
                ? "--hotp --counter=\(moment)"
                : "--totp=\(algorithm.uriName) --now=@\(moment) --time-step-size=\(period)s"
            script += "oathtool \(mode) --digits=\(digits) \(Hex.encode(seed))\n"
            expected.append(try code(of: key, moment).text)
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(script, "script")
        let codes = try withExtendedLifetime(folder) { try Program.succeed(["sh", path]).lines }
        XCTAssertEqual(codes, expected)
    }

    private func fields(_ line: String) -> [String] {
        line.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    private func reread(_ key: OneTimeCodeKey) throws -> OneTimeCodeKey {
        try OneTimeCodeKey(uri: key.uri())
    }

    private func code(of key: OneTimeCodeKey, _ moment: UInt64) throws -> OneTimeCode {
        if case .counter = key.kind { return key.code(counter: moment) }
        return try key.code(at: UnixTime(Int64(moment)))
    }

    private func text(_ secret: SecretBytes) -> String {
        secret.withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    private func python(_ arguments: [String]) throws -> [String] {
        let program = [try TestScripts.installedPython(), TestScripts.path("one_time_codes.py")]
        return try Program.succeed(program + arguments).lines
    }
}
