// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CConstantTime
internal import CredKit

/// Runs the public API of byte buffers over memory that valgrind treats as undefined.
///
/// Each result is also checked: it must depend on the secret, because otherwise the marks were lost and silence would
/// prove nothing; and it must be correct.
final class SecretsTest {
    private(set) var checked: [String] = []
    private(set) var hasFailed = false

    /// Every length up to a few blocks of the widest kernels, and some that fill many blocks.
    private let lengths = Array(0...300) + [767, 768, 1000, 4096, 65_537]

    func run() throws {
        let forms: [(String, Base64)] = [
            ("standard", .standard), ("standard unpadded", .standard.unpadded),
            ("URL-safe", .urlSafe), ("URL-safe unpadded", .urlSafe.unpadded),
        ]
        for (name, form) in forms {
            try check("encode \(name)") { try lengths.forEach { try encode($0, form) } }
            try check("decode \(name)") { try lengths.forEach { try decode($0, form) } }
            try check("encode \(name) in pieces and lines") {
                try lengths.forEach { try encodePieces($0, form) }
            }
            try check("decode \(name) in pieces") {
                try lengths.forEach { try decodePieces($0, form, lineLength: 0, ignoring: .none) }
            }
            for lineLength in [76, 7] {
                try check("decode \(name) in pieces, lines of \(lineLength)") {
                    try lengths.forEach {
                        try decodePieces($0, form, lineLength: lineLength, ignoring: .whitespace)
                    }
                }
            }
        }
        check("compare") { lengths.forEach(compare) }
        check("encode hex") { lengths.forEach(encodeHex) }
        try check("decode hex") { try lengths.forEach(decodeHex) }
        check("encode Base32") { lengths.forEach(encodeBase32) }
        try check("decode Base32") { try lengths.forEach(decodeBase32) }
        try check("one-time codes") { try [1, 20, 32, 64, 65, 128, 129].forEach(computeCodes) }
        check("MD5 of batches") { lengths.forEach { hashBatch(of: 35, longest: $0) } }
        check("HMAC-MD5 of batches") { [0, 16, 64, 65].forEach(authenticateBatch) }
        check("Argon2i, and the first half of Argon2id") {
            if !ct_argon2i() { complain("Argon2i is wrong") }
            if !ct_argon2_slices(true, 0, 2) { complain("the memory of Argon2id depends on no secret") }
        }
        check("PBKDF2") {
            if !ct_pbkdf2() { complain("PBKDF2 is wrong") }
        }
        check("SHA-crypt of batches") {
            if !ct_shacrypt() { complain("SHA-crypt is wrong") }
        }
        check("HMAC-MD5") { [0, 1, 16, 63, 64, 65, 300].forEach(authenticate) }
    }

    /// Runs `body` and reports valgrind's findings.
    private func check(_ name: String, _ body: () throws -> Void) rethrows {
        let before = ct_report_count()
        try body()
        let count = ct_report_count() - before
        checked.append(name)
        if count > 0 {
            print("constant-time: \(name): \(count) reports")
            hasFailed = true
        }
    }

    private func encode(_ count: Int, _ form: Base64) throws {
        let bytes = Memory(randomCount: count)
        bytes.makeSecret()
        let text = Memory(count: form.encodedByteCount(of: count))
        let written = bytes.withSpan { bytes in text.write { form.encode(bytes, into: &$0) } }
        let characters = form.unpadded.encodedByteCount(of: count)
        if written != text.count || text.secretCount < characters {
            complain("the text does not depend on the bytes")
        }
        text.makePublic()
        bytes.makePublic()
        if try form.decode(text.bytes) != bytes.bytes { complain("the text is wrong") }
    }

    private func decode(_ count: Int, _ form: Base64) throws {
        let expected = Memory(randomCount: count)
        let text = Memory(form.encode(expected.bytes).utf8)
        // The amount of padding reveals the length, which is public.
        text.makeSecret(form.unpadded.encodedByteCount(of: count))
        // If the text is padded, the decoder requests more room than there are bytes.
        let bytes = Memory(count: form.maximumDecodedByteCount(of: text.count))
        let written = try text.withSpan { text in try bytes.write { try form.decode(text, into: &$0) } }
        if written != count || bytes.secretCount < count { complain("the bytes do not depend on the text") }
        bytes.makePublic()
        if Array(bytes.bytes.prefix(count)) != expected.bytes { complain("the bytes are wrong") }
    }

    private func compare(_ count: Int) {
        let left = Memory(randomCount: count)
        let right = Memory(left.bytes)
        for isEqual in [true, false] where isEqual || count > 0 {
            right.makePublic()
            if !isEqual { right.start[count / 2] ^= 1 }
            left.makeSecret()
            right.makeSecret()
            var answer = left.withSpan { left in right.withSpan { ConstantTime.areEqual(left, $0) } }
            let secretCount = withUnsafeBytes(of: &answer) { ct_secret_prefix($0.baseAddress, 1) }
            if count > 0 && secretCount == 0 { complain("the answer does not depend on the bytes") }
            // The result of the comparison is public.
            ct_make_public(&answer, 1)
            if answer != isEqual { complain("the answer is wrong") }
            left.makePublic()
        }
    }

    private func encodeHex(_ count: Int) {
        let bytes = Memory(randomCount: count)
        bytes.makeSecret()
        let text = Memory(count: count * 2)
        _ = bytes.withSpan { bytes in text.write { Hex.encode(bytes, into: &$0) } }
        if text.secretCount < text.count { complain("the digits do not depend on the bytes") }
        text.makePublic()
        bytes.makePublic()
        if String(decoding: text.bytes, as: UTF8.self) != Hex.encode(bytes.bytes) {
            complain("the digits are wrong")
        }
    }

    private func decodeHex(_ count: Int) throws {
        let expected = Memory(randomCount: count)
        // Digits of both cases.
        let isUppercase = Memory(randomCount: count * 2).bytes.map { $0 < 128 }
        let text = Memory(
            zip(Hex.encode(expected.bytes).utf8, isUppercase).map { digit, isUppercase -> UInt8 in
                digit >= UInt8(ascii: "a") && isUppercase ? digit - 32 : digit
            }
        )
        text.makeSecret()
        let bytes = Memory(try text.withSpan { text in try Hex.decode(text) })
        if bytes.count != count || bytes.secretCount < count {
            complain("the bytes do not depend on the digits")
        }
        bytes.makePublic()
        if bytes.bytes != expected.bytes { complain("the bytes are wrong") }

        // The existence and position of an invalid digit are public; the other digits stay secret.
        guard count > 0 else { return }
        let wrong = Int.random(in: 0..<text.count)
        text.makePublic()
        text.start[wrong] = UInt8(ascii: "g")
        text.makeSecret()
        do {
            _ = try text.withSpan { text in try Hex.decode(text) }
            complain("an invalid digit was decoded")
        } catch let error as Hex.DecodingError {
            if error.offset != wrong { complain("the offset is wrong") }
        }
        text.makePublic()
    }

    /// Nonempty messages of random lengths: the digest of an empty one depends on no secret.
    private func batch(of count: Int, longest: Int) -> [[UInt8]] {
        (0..<count).map { _ in Memory(randomCount: 1 + Int.random(in: 0...longest)).bytes }
    }

    private func makeSecret(_ messages: inout [[UInt8]]) {
        for index in messages.indices {
            messages[index].withUnsafeMutableBytes { ct_make_secret($0.baseAddress, $0.count) }
        }
    }

    private func check(_ digests: [MessageDigest<16>], _ expected: [MessageDigest<16>]) {
        let bytes = Memory(digests.flatMap { Array($0) })
        if bytes.secretCount < bytes.count { complain("the digests do not depend on the messages") }
        bytes.makePublic()
        if bytes.bytes != expected.flatMap({ Array($0) }) { complain("the digests are wrong") }
    }

    private func hashBatch(of count: Int, longest: Int) {
        var messages = batch(of: count, longest: longest)
        let expected = messages.map { Legacy.MD5.hash(data: $0) }
        makeSecret(&messages)
        check(Legacy.MD5.hashes(of: messages), expected)
    }

    private func authenticateBatch(keyCount: Int) {
        var keyBytes = Memory(randomCount: keyCount).bytes
        let publicKey = Legacy.HMACMD5.Key(keyBytes + [])
        keyBytes.withUnsafeMutableBytes { ct_make_secret($0.baseAddress, $0.count) }
        let key = Legacy.HMACMD5.Key(keyBytes)
        for longest in [10, 54, 300, 1000] {
            var messages = batch(of: 50, longest: longest)
            let expected = messages.map { Legacy.HMACMD5.authenticationCode(for: $0, using: publicKey) }
            makeSecret(&messages)
            check(Legacy.HMACMD5.authenticationCodes(for: messages, using: key), expected)
        }
    }

    /// Messages of all lengths under keys of one length.
    private func authenticate(keyCount: Int) {
        var keyBytes = Memory(randomCount: keyCount).bytes
        let publicKey = Legacy.HMACMD5.Key(keyBytes + [])
        keyBytes.withUnsafeMutableBytes { ct_make_secret($0.baseAddress, $0.count) }
        let key = Legacy.HMACMD5.Key(keyBytes)
        for count in lengths {
            let message = Memory(randomCount: count)
            message.makeSecret()
            let digest = message.withSpan { Legacy.HMACMD5.authenticationCode(for: $0, using: key) }
            let code = Memory(count: 16)
            for (index, byte) in digest.enumerated() { code.start[index] = byte }
            if keyCount + count > 0 && code.secretCount < 16 {
                complain("the code does not depend on the secrets")
            }
            code.makePublic()
            message.makePublic()
            let expected = Legacy.HMACMD5.authenticationCode(for: message.bytes, using: publicKey)
            if code.bytes != Array(expected) { complain("the code is wrong") }
        }
    }
}
