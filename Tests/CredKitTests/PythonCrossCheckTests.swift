// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// Compares random inputs of 0 to 100 KB with Python's hashlib, hmac and base64.
/// `script/cross-check` runs 10,000 of them.
final class PythonCrossCheckTests: XCTestCase {
    func testAgreesWithPython() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["CREDKIT_CROSS_CHECK_COUNT"].flatMap { Int($0) } ?? 100
        setenv("CREDKIT_SCRIPT", TestScripts.path("cross_check.py"), 1)
        let pipe = try XCTUnwrap(popen("exec python3 \"$CREDKIT_SCRIPT\" \(count)", "r"))
        var cases = 0
        while let input = try readField(pipe) {
            let (key, salt) = (try required(pipe), try required(pipe))
            try check(input: input, key: key, salt: salt) { name in
                let expectedName = String(decoding: try required(pipe), as: UTF8.self)
                XCTAssertEqual(name, expectedName, "the two lists of checks differ")
                return try required(pipe)
            }
            cases += 1
        }
        XCTAssertEqual(pclose(pipe), 0)
        XCTAssertEqual(cases, count)
        print("PythonCrossCheckTests: \(cases) inputs agree")
    }

    private func check(
        input: [UInt8],
        key: [UInt8],
        salt: [UInt8],
        expected: (String) throws -> [UInt8]
    ) throws {
        func equal(_ name: String, _ actual: String) throws {
            // Not XCTAssertEqual: its message would be megabytes long.
            XCTAssertTrue(
                Array(actual.utf8) == (try expected(name)),
                "\(name) of \(input.count) bytes differs"
            )
        }
        try equal("md5", Legacy.MD5.hash(data: input).hex)
        try equal("sha1", Legacy.SHA1.hash(data: input).hex)
        try equal("sha256", SHA256.hash(data: input).hex)
        try equal("sha384", SHA384.hash(data: input).hex)
        try equal("sha512", SHA512.hash(data: input).hex)
        try equal("hmac-md5", Legacy.HMACMD5.authenticationCode(for: input, using: .init(key)).hex)
        try equal("hmac-sha1", HMAC<Legacy.SHA1>.authenticationCode(for: input.span, using: .init(key)).hex)
        try equal("hmac-sha256", HMAC<SHA256>.authenticationCode(for: input.span, using: .init(key)).hex)
        try equal("hmac-sha384", HMAC<SHA384>.authenticationCode(for: input.span, using: .init(key)).hex)
        try equal("hmac-sha512", HMAC<SHA512>.authenticationCode(for: input.span, using: .init(key)).hex)
        try equal("salted-suffix", Legacy.SaltedMD5(salt: salt).hash(input).hex)
        try equal("salted-prefix", Legacy.SaltedMD5(salt: salt, position: .prefix).hash(input).hex)
        try equal("salted-3-rounds", try Legacy.SaltedMD5(salt: salt, rounds: 3).hash(input).hex)
        let login = Legacy.TimestampedLogin(keyPhrase: key)
        try equal("timestamped-equivalent", login.passwordEquivalent(for: input).hex)
        try equal(
            "timestamped-proof",
            login.proof(for: input, at: try Legacy.TimestampedLogin.Minute("2026-01-02 03:04")).hex
        )

        try equal("base64", Base64.standard.encode(input))
        try equal("base64-unpadded", Base64.standard.unpadded.encode(input))
        try equal("base64url", Base64.urlSafe.encode(input))
        try equal("base64url-unpadded", Base64.urlSafe.unpadded.encode(input))
        let lines = Base64.standard.encode(input, lineLength: 76)
        try equal("base64-lines", input.isEmpty ? "" : lines + "\n")

        XCTAssertTrue(try Base64.standard.decode(Base64.standard.encode(input)) == input)
        XCTAssertTrue(try Base64.urlSafe.unpadded.decode(Base64.urlSafe.unpadded.encode(input)) == input)
        XCTAssertTrue(try Base64.standard.decode(lines, ignoring: .whitespace) == input)
        XCTAssertTrue(try Hex.decode(Hex.encode(input)) == input)
    }

    /// Returns the next field (four bytes of big-endian length, then its bytes), or `nil` at the end.
    private func readField(_ pipe: UnsafeMutablePointer<FILE>) throws -> [UInt8]? {
        var header = [UInt8](repeating: 0, count: 4)
        guard fread(&header, 1, 4, pipe) == 4 else { return nil }
        let count = header.reduce(0) { $0 << 8 | Int($1) }
        var field = [UInt8](repeating: 0, count: count)
        guard fread(&field, 1, count, pipe) == count else { throw CocoaError(.fileReadCorruptFile) }
        return field
    }

    private func required(_ pipe: UnsafeMutablePointer<FILE>) throws -> [UInt8] {
        guard let field = try readField(pipe) else { throw CocoaError(.fileReadCorruptFile) }
        return field
    }
}
