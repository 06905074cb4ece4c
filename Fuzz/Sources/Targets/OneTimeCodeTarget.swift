// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Reads otpauth URIs, exports and Base32, and compares with plain readers.
    static let otpauth = FuzzTarget("otpauth") { bytes in
        try checkBase32(bytes)
        try checkExport(bytes)
        let key: OneTimeCodeKey
        do throws(OneTimeCodeError) {
            key = try OneTimeCodeKey(uri: bytes)
        } catch {
            return
        }
        try require(6...8 ~= key.digitCount && 1...1024 ~= key.seed.count, "a key is within its limits")
        let fields = plainFields(trimmed(bytes))
        let seeds = fields.filter { $0.name == Array("secret".utf8) }
        try requireEqual(seeds.count, 1, "a URI has one seed")
        try requireEqual(plainSeed(seeds[0].value), key.seed.copy, "the seed is that of a plain reader")
        for name in ["issuer", "digits", "period", "counter", "algorithm"] {
            let count = fields.count { $0.name == Array(name.utf8) }
            try require(count <= 1, "a field occurs once")
        }
        let written = try key.uri()
        let again: OneTimeCodeKey?
        do throws(OneTimeCodeError) {
            again = try OneTimeCodeKey(uri: written)
        } catch {
            again = nil
        }
        try requireEqual(again, key, "a written key is read back")
        try requireEqual(
            again?.code(counter: 1),
            key.code(counter: 1),
            "a key that is read back has the same codes"
        )
        let text = String(decoding: written.copy, as: UTF8.self)
        try require(text.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "a written URI is printable ASCII")
    }

    /// Reads the bytes as the message of an export.
    private static func checkExport(_ bytes: [UInt8]) throws {
        let export: OneTimeCodeExport
        do throws(OneTimeCodeError) {
            export = try OneTimeCodeExport(payload: bytes)
        } catch {
            return
        }
        try require(1...export.partCount ~= export.part, "a part is one of the parts")
        // Each account has a tag and a length.
        try require((export.keys.count + export.refusals.count) * 2 <= bytes.count, "an account has bytes")
        for key in export.keys {
            let again = try OneTimeCodeKey(uri: key.uri())
            try requireEqual(again, key, "an exported key is written and read back")
        }
    }

    private static func checkBase32(_ text: [UInt8]) throws {
        let strict = try? Base32.standard.decode(text)
        if let strict {
            try requireEqual(Array(Base32.standard.encode(strict).utf8), text, "a value has one strict text")
        }
        let unpadded = try? Base32.standard.unpadded.decode(text)
        if let unpadded {
            let encoded = Base32.standard.unpadded.encode(unpadded)
            try requireEqual(Array(encoded.utf8), text, "a value has one strict text")
        }
        let lenient = try? Base32.standard.decode(text, strictness: .lenient)
        try requireEqual(lenient, plainBase32(text), "a lenient decoder accepts what a plain one does")
        try require(lenient == (strict ?? lenient), "a strict text is accepted by a lenient decoder")
    }

    /// The fields of a query, with lowercase names, and without escapes in the values.
    private static func plainFields(_ uri: [UInt8]) -> [(name: [UInt8], value: [UInt8])] {
        guard let start = uri.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return uri[(start + 1)...].split(separator: UInt8(ascii: "&")).map { part in
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            var value: [UInt8] = []
            var rest = part.dropFirst(name.count + 1)
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "%"), let decoded = try? Hex.decode(rest.prefix(2)) {
                    value += decoded
                    rest = rest.dropFirst(2)
                } else {
                    value.append(byte)
                }
            }
            return (name.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }, value)
        }
    }

    /// A text without the white space at its ends.
    private static func trimmed(_ text: [UInt8]) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 9...13 ~= byte }
        let rest = text.drop(while: isSpace)
        return Array(rest.dropLast(rest.reversed().prefix(while: isSpace).count))
    }

    /// The bytes of a text as people type it.
    private static func plainBase32(_ text: [UInt8]) -> [UInt8]? {
        let typed = text.filter { $0 != UInt8(ascii: " ") }
        let padding = typed.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding == 0 || typed.count % 8 == 0 && padding < 7 else { return nil }
        guard let (bytes, rest) = plainBits(typed.dropLast(padding)) else { return nil }
        return rest.contains(1) ? nil : bytes
    }

    /// The bytes of a seed as authenticator apps read it.
    private static func plainSeed(_ text: [UInt8]) -> [UInt8]? {
        let typed = text.filter { !"\t\n\r -".utf8.contains($0) }
        let padding = typed.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return plainBits(typed.dropLast(padding))?.bytes
    }

    /// The bytes of characters, bit by bit, and the bits behind the last byte.
    private static func plainBits(_ digits: ArraySlice<UInt8>) -> (bytes: [UInt8], rest: [UInt8])? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var bits: [UInt8] = []
        for digit in digits {
            let upper = 0x61...0x7A ~= digit ? digit - 0x20 : digit
            guard let value = alphabet.firstIndex(of: upper) else { return nil }
            for place in (0..<5).reversed() { bits.append(UInt8(value >> place & 1)) }
        }
        let count = bits.count / 8
        guard bits.count - count * 8 < 5 else { return nil }
        let bytes = (0..<count).map { index in
            bits[index * 8..<index * 8 + 8].reduce(0) { $0 << 1 | $1 }
        }
        return (bytes, Array(bits[(count * 8)...]))
    }
}
