// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import Foundation
import XCTest

final class DigestTests: XCTestCase {
    private struct Case: Decodable {
        let algorithm: String
        let message: HexBytes
        let repeated: Int?
        let digest: String
    }

    func testRFC1320AndRFC1321AndFIPS180Vectors() throws {
        let files = try ["rfc1320-md4", "rfc1321-md5", "fips180-4-sha"].map { try VectorFile<Case>.load($0) }
        var seen: Set<String> = []
        for vector in files.flatMap(\.cases) {
            let message = Array(repeatElement(vector.message.bytes, count: vector.repeated ?? 1).joined())
            XCTAssertEqual(try digest(vector.algorithm, message), vector.digest)
            seen.insert(vector.algorithm)
        }
        XCTAssertEqual(seen, ["MD4", "MD5", "SHA1", "SHA256", "SHA384", "SHA512"])
    }

    private func digest(_ algorithm: String, _ message: [UInt8]) throws -> String {
        func check<Function: DigestAlgorithm>(_: Function.Type) -> String {
            let whole = Function.hash(data: message)
            XCTAssertEqual(whole.count, Function.digestByteCount)
            var function = Function()
            for piece in message.randomPieces() { function.update(data: piece) }
            XCTAssertEqual(function.finalize(), whole, "the digest depends on how the input is split")
            // Finalizing does not change the function's state.
            XCTAssertEqual(function.finalize(), whole)
            return Hex.encode(whole)
        }
        switch algorithm {
        case MD4.name: return check(MD4.self)
        case Legacy.MD5.name: return check(Legacy.MD5.self)
        case Legacy.SHA1.name: return check(Legacy.SHA1.self)
        case SHA256.name: return check(SHA256.self)
        case SHA384.name: return check(SHA384.self)
        case SHA512.name: return check(SHA512.self)
        default: throw CocoaError(.featureUnsupported)
        }
    }

    func testMoreCanBeFedAfterFinalize() {
        var function = Legacy.MD5()
        function.update(data: "a".utf8)
        _ = function.finalize()
        function.update(data: "bc".utf8)
        XCTAssertEqual(function.finalize().hex, "900150983cd24fb0d6963f7d28e17f72")
    }

    func testDigestOfAFileByPathAndByDescriptor() throws {
        let path = NSTemporaryDirectory() + "credkit-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for count in [0, 1, 131_071, 131_072, 131_073, 1_000_000] {
            let bytes = SecureRandom.bytes(count: count)
            XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
            let expected = Legacy.MD5.hash(data: bytes)
            XCTAssertEqual(try Legacy.MD5.hash(contentsOfFile: path), expected)

            let file = try XCTUnwrap(FileHandle(forReadingAtPath: path))
            XCTAssertEqual(try Legacy.MD5.hash(fileDescriptor: file.fileDescriptor), expected)
            // The descriptor stays open, and its offset is at the end.
            XCTAssertEqual(
                try Legacy.MD5.hash(fileDescriptor: file.fileDescriptor),
                Legacy.MD5.hash(data: [])
            )
        }
    }

    func testFilesThatCannotBeReadThrow() {
        XCTAssertThrowsError(try Legacy.MD5.hash(contentsOfFile: "/nowhere/at/all")) {
            let error = $0 as? FileError
            XCTAssertEqual(error?.operation, .open)
            XCTAssertEqual(error?.errorNumber, ENOENT)
            XCTAssertEqual("\($0)", "cannot open the file: No such file or directory")
        }
        XCTAssertThrowsError(try Legacy.MD5.hash(contentsOfFile: "/etc/hostname\0.evil")) {
            XCTAssertEqual(($0 as? FileError)?.errorNumber, EINVAL)
        }
        XCTAssertThrowsError(try Legacy.SHA1.hash(contentsOfFile: "/")) {
            XCTAssertEqual(($0 as? FileError)?.operation, .read)
            XCTAssertEqual(($0 as? FileError)?.errorNumber, EISDIR)
        }
        XCTAssertThrowsError(try Legacy.MD5.hash(fileDescriptor: -1)) {
            XCTAssertEqual(($0 as? FileError)?.errorNumber, EBADF)
        }
    }

    func testDigestsCompareAllBytes() throws {
        let digest = Legacy.MD5.hash(data: "abc".utf8)
        for index in digest.indices {
            var bytes = digest.bytes
            bytes[index] ^= 1
            XCTAssertNotEqual(try XCTUnwrap(MessageDigest<16>(bytes: bytes)), digest)
        }
        XCTAssertEqual(MessageDigest<16>(bytes: digest.bytes), digest)
        XCTAssertEqual(MessageDigest<16>(hex: digest.hex.uppercased()), digest)
        XCTAssertEqual(Set([digest, digest]).count, 1)
    }

    func testDigestsOfAnotherSizeAreRefused() {
        XCTAssertNil(MessageDigest<16>(bytes: [UInt8](repeating: 0, count: 15)))
        XCTAssertNil(MessageDigest<16>(bytes: [UInt8](repeating: 0, count: 17)))
        XCTAssertNil(MessageDigest<16>(hex: ""))
        XCTAssertNil(MessageDigest<16>(hex: String(repeating: "0", count: 31)))
        XCTAssertNil(MessageDigest<16>(hex: String(repeating: "g", count: 32)))
    }

    func testPrintingADigestDoesNotShowIt() {
        let digest = Legacy.MD5.hash(data: "password".utf8)
        var dumped = ""
        dump(digest, to: &dumped)
        for text in ["\(digest)", String(reflecting: digest), dumped] {
            XCTAssertFalse(text.contains("5f4dcc") || text.contains("95"), text)
        }
    }

    func testPrintingAFunctionDoesNotShowItsInput() {
        func texts(_ value: Any) -> [String] {
            var dumped = ""
            dump(value, to: &dumped)
            return ["\(value)", String(reflecting: value), dumped]
        }
        func fed<Function: DigestAlgorithm>(_: Function.Type) -> Function {
            var function = Function()
            function.update(data: "hunter2-hunter2-hunter2-hunter2".utf8)
            return function
        }
        // "hunter2-" as stored in the states: as words of 32 and 64 bits in either byte order.
        let words = [
            "1953396072", "758280805", "1752526452", "1701982765", "3256791260612949352",
            "7527043798416896557",
        ]
        var code = Legacy.HMACMD5(key: .init("key"))
        code.update(data: "hunter2-".utf8)
        var generic = HMAC<SHA256>(key: .init("key"))
        generic.update(Array("hunter2-".utf8).span)
        let values: [Any] = [
            fed(Legacy.MD5.self), fed(Legacy.SHA1.self), fed(SHA256.self), fed(SHA384.self), fed(SHA512.self),
            code,
            generic,
        ]
        for text in values.flatMap(texts) {
            XCTAssertTrue(text.contains("›"), text)
            XCTAssertFalse(text.contains("data") || words.contains { text.contains($0) }, text)
        }
    }

    func testADigestIsACollectionOfItsBytes() {
        let digest = Legacy.MD5.hash(data: "".utf8)
        XCTAssertEqual(digest.map { $0 }, digest.bytes)
        XCTAssertEqual(Base64.standard.encode(digest), "1B2M2Y8AsgTpgAmY7PhCfg==")
    }

    func testWipingRemovesTheMessage() {
        var function = Legacy.MD5()
        function.update(data: "a secret in the block".utf8)
        function.wipe()
        withUnsafeBytes(of: &function) { XCTAssertTrue($0.allSatisfy { $0 == 0 }) }
    }
}
