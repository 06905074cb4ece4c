// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CCredKitOpenSSL
@testable import CredKit

extension FuzzTarget {
    /// Feeds texts to the decoder and bytes to the encoder, and compares both with OpenSSL.
    static let base64 = FuzzTarget("base64") { bytes in
        var input = FuzzInput(bytes)
        let options = input.byte()
        let padded: Base64 = options & 1 == 0 ? .standard : .urlSafe
        let base64 = options & 2 == 0 ? padded : padded.unpadded
        let text = input.remaining
        try Base64Properties(base64: base64).check(text, pieceByteCount: Int(options >> 2) + 1)
    }
}

private struct Base64Properties {
    let base64: Base64

    func check(_ text: [UInt8], pieceByteCount: Int) throws {
        try checkEncoding(text, pieceByteCount: pieceByteCount)
        try checkEnd(text)
        let strict = decode(text, ignoring: .none)
        try requireEqual(decode(text, ignoring: .none, pieceByteCount), strict, "pieces decode as the whole")
        if let strict {
            try requireEqual(Array(base64.encode(strict).utf8), text, "a value has exactly one text")
            try compareWithOpenSSL(text, strict)
        } else if base64 == .standard, !text.isEmpty {
            // OpenSSL accepts set bits after the last byte, and nothing else that is rejected here.
            let accepted = OpenSSLBase64.decode(text)
            let isCanonical = accepted.map { OpenSSLBase64.encode($0) == text } ?? false
            try require(!isCanonical, "a text that OpenSSL writes is accepted")
        }
        for ignored in [Base64.IgnoredCharacters.whitespace, .lineFeeds, .garbage] {
            let lenient = decode(text, ignoring: ignored)
            try requireEqual(
                decode(text, ignoring: ignored, pieceByteCount),
                lenient,
                "pieces decode as the whole"
            )
            if let strict { try requireEqual(lenient, strict, "ignoring characters changes no strict text") }
        }
        let filtered = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let withoutBlanks = decode(filtered, ignoring: .none)
        try requireEqual(
            decode(text, ignoring: .whitespace),
            withoutBlanks,
            "whitespace is the only difference"
        )
    }

    /// Nothing follows the padding.
    private func checkEnd(_ bytes: [UInt8]) throws {
        guard base64.isPadded, !bytes.isEmpty, !bytes.count.isMultiple(of: 3) else { return }
        let text = Array(base64.encode(bytes).utf8)
        for ignored in [Base64.IgnoredCharacters.none, .whitespace] {
            try requireEqual(decode(text + text, ignoring: ignored), nil, "a text ends with its padding")
        }
    }

    private func checkEncoding(_ bytes: [UInt8], pieceByteCount: Int) throws {
        let text = base64.encode(bytes)
        try requireEqual(
            decode(Array(text.utf8), ignoring: .none),
            bytes,
            "an encoded value decodes to itself"
        )
        try requireEqual(
            text.utf8.count,
            base64.encodedByteCount(of: bytes.count),
            "the size is as announced"
        )
        if base64 == .standard {
            try requireEqual(Array(text.utf8), OpenSSLBase64.encode(bytes), "as OpenSSL")
        }
        let lines = base64.encode(bytes, lineLength: pieceByteCount, lineEnding: .carriageReturnLineFeed)
        try requireEqual(lines.filter { $0 != "\r\n" }, text, "lines have the same characters")
        let longest = lines.split(separator: "\r\n").map(\.utf8.count).max() ?? 0
        try require(longest <= pieceByteCount, "no line is longer than requested")
        try requireEqual(
            decode(Array(lines.utf8), ignoring: .whitespace),
            bytes,
            "lines decode to the same value"
        )
        var encoder = base64.makeEncoder()
        var pieces: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            encoder.update(bytes[start..<min(start + pieceByteCount, bytes.count)], into: &pieces)
        }
        encoder.finalize(into: &pieces)
        try requireEqual(pieces, Array(text.utf8), "pieces encode as the whole")
    }

    private func compareWithOpenSSL(_ text: [UInt8], _ decoded: [UInt8]) throws {
        guard base64 == .standard else { return }
        try requireEqual(OpenSSLBase64.decode(text), decoded, "an accepted text decodes as with OpenSSL")
    }

    private func decode(_ text: [UInt8], ignoring: Base64.IgnoredCharacters) -> [UInt8]? {
        do throws(Base64.DecodingError) {
            let bytes = try base64.decode(text, ignoring: ignoring)
            return bytes
        } catch {
            return error.offset <= text.count ? nil : [0xFF, 0xFF, 0xFF]
        }
    }

    private func decode(
        _ text: [UInt8],
        ignoring: Base64.IgnoredCharacters,
        _ pieceByteCount: Int
    ) -> [UInt8]? {
        var decoder = base64.makeDecoder(ignoring: ignoring)
        var bytes: [UInt8] = []
        do throws(Base64.DecodingError) {
            for start in stride(from: 0, to: text.count, by: pieceByteCount) {
                try decoder.update(text[start..<min(start + pieceByteCount, text.count)], into: &bytes)
            }
            try decoder.finalize(into: &bytes)
            return bytes
        } catch {
            return nil
        }
    }
}

/// The codec of libcrypto for one block of padded text.
private enum OpenSSLBase64 {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        // Ends with a NUL.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return Array(text.prefix(Int(count)))
    }

    /// Returns `nil` for a text that OpenSSL rejects. OpenSSL removes whitespace at both ends, and does not say how many
    /// bytes of the last group are padding.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3 + 1)
        let count = EVP_DecodeBlock(&bytes, text, Int32(text.count))
        guard count >= 0 else { return nil }
        let paddingCount = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        return Array(bytes.prefix(max(0, Int(count) - paddingCount)))
    }
}
