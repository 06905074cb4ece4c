// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A key of one-time codes as KeePass 2, its plugins and other programs store it: a seed, and parameters as texts.
struct OneTimeCodeParts {
    /// How the bytes of a seed are written.
    enum Encoding {
        case base32, base64, hexadecimal
        /// The characters themselves are the seed.
        case text
    }

    /// The maximum length of a parameter in bytes, which is no secret. KeeTrayTOTP's may have the address of a clock.
    private static let parameterByteCount = 1024

    /// The maximum length of a text with parameters.
    private static let textByteCount = 8192

    let seed: SecretBytes
    var encoding = Encoding.base32
    var isCounter = false
    /// The parameters; one that is missing or empty has the usual value.
    var digits = ""
    var period = ""
    var algorithm = ""
    var counter = ""

    /// Returns the URI of the key of a text, which one-time codes are stored as.
    ///
    /// - Parameter text: A URI, the parameters of KeeOtp (`key=…&size=…&step=…`), or a seed in Base32.
    /// - Returns: The URI, and whether it has lost names that no URI can have.
    /// - Throws: ``OneTimeCodeError``.
    static func uri(of text: SecretBytes) throws(OneTimeCodeError) -> (uri: SecretBytes, hasLostNames: Bool) {
        guard !OneTimeCodeExport.isExport(text) else {
            throw OneTimeCodeError(.unsupported, message: "this is an export of several accounts, and no key")
        }
        if let parts = try keeOtp(text) { return (try parts.key().uri(), false) }
        guard isURI(text) else { return (try OneTimeCodeKey(base32: text).uri(), false) }
        do throws(OneTimeCodeError) {
            let key = try OneTimeCodeKey(uri: text)
            return (try hasSpaceAround(text) ? key.uri() : text, false)
        } catch {
            // The codes do not depend on the names: KeePassXC makes an issuer of any title, also of one with a colon.
            guard let key = try? OneTimeCodeKey(ignoringNamesOf: text) else { throw error }
            return (try key.uri(), true)
        }
    }

    /// Returns the key, without names.
    func key() throws(OneTimeCodeError) -> OneTimeCodeKey {
        guard let digitCount = Self.number(digits, else: 6) else {
            throw OneTimeCodeError(.invalidParameters, message: "the number of digits is malformed")
        }
        let kind: OneTimeCodeKey.Kind
        if isCounter {
            guard let next = counter.isEmpty ? 0 : UInt64(counter) else {
                throw OneTimeCodeError(.invalidParameters, message: "the counter is malformed")
            }
            kind = .counter(next: next)
        } else {
            guard let seconds = Self.number(period, else: 30) else {
                throw OneTimeCodeError(.invalidParameters, message: "the period is malformed")
            }
            kind = .time(period: .seconds(Int64(seconds)))
        }
        let named = algorithm.withSecretBytes { OneTimeCodeKey.Algorithm(name: $0) }
        guard let hash = algorithm.isEmpty ? .sha1 : named else {
            throw OneTimeCodeError(
                .unsupported,
                message: "unsupported one-time codes: the algorithm is none of SHA1, SHA256 and SHA512"
            )
        }
        guard encoding != .base32 else {
            return try OneTimeCodeKey(base32: seed, kind: kind, algorithm: hash, digitCount: digitCount)
        }
        return try OneTimeCodeKey(seed: decodedSeed(), kind: kind, algorithm: hash, digitCount: digitCount)
    }

    private func decodedSeed() throws(OneTimeCodeError) -> SecretBytes {
        var isMalformed = false
        let bytes: SecretBytes
        do throws(SecretMemoryError) {
            bytes = try seed.withSecretBytes { (text) throws(SecretMemoryError) in
                let capacity = max(text.count, Base64.standard.maximumDecodedByteCount(of: text.count))
                return try SecretBytes(capacity: capacity) { output in
                    switch encoding {
                    case .base64:
                        do throws(Base64.DecodingError) {
                            try Base64.standard.decode(text, into: &output)
                        } catch {
                            isMalformed = true
                        }
                    case .hexadecimal: isMalformed = !Self.decodeHexadecimal(text, into: &output)
                    case .text, .base32: output.append(contentsOf: text)
                    }
                }
            }
        } catch {
            throw OneTimeCodeError(.outOfMemory, message: "\(error)")
        }
        guard !isMalformed else {
            let name = encoding == .base64 ? "Base64" : "hexadecimal"
            throw OneTimeCodeError(.malformedSeed, message: "the seed is not \(name)")
        }
        return bytes
    }

    /// Decodes pairs of digits without a copy on the heap; returns `false` for any other text.
    private static func decodeHexadecimal(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Bool {
        func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x41...0x46: byte - 0x37
            case 0x61...0x66: byte - 0x57
            default: nil
            }
        }
        guard text.count % 2 == 0 else { return false }
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = digit(text[index]), let low = digit(text[index + 1]) else { return false }
            output.append(high << 4 | low)
        }
        return true
    }

    private static func number(_ text: String, else usual: Int) -> Int? {
        text.isEmpty ? usual : UInt16(text).map { Int($0) }
    }
}

extension OneTimeCodeParts {
    /// Returns the parts of a text of KeeOtp or KeeOtp2, a query with percent-encoding; `nil` if it is none.
    private static func keeOtp(_ text: SecretBytes) throws(OneTimeCodeError) -> OneTimeCodeParts? {
        let names = ["key", "type", "encoding", "size", "step", "otphashmode", "counter"]
        var seed: SecretBytes?
        var values: [String: String] = [:]
        guard text.count <= textByteCount else { return nil }
        var isTooLong = false
        text.withSecretBytes { bytes in
            guard !contains("://", bytes) else { return }
            var start = 0
            while start < bytes.count {
                let end = (start..<bytes.count).first { bytes[$0] == UInt8(ascii: "&") } ?? bytes.count
                let sign = (start..<end).first { bytes[$0] == UInt8(ascii: "=") } ?? end
                // Nothing but the values of known names is copied: a seed can have the sign, too, as its padding.
                let part = bytes.extracting(start..<sign)
                if sign < end, let name = names.first(where: { isName($0, part) }) {
                    let value = bytes.extracting(sign + 1..<end)
                    if name == "key" {
                        seed = unescaped(value)
                    } else if value.count <= parameterByteCount {
                        values[name] = string(value)
                    } else {
                        isTooLong = true
                    }
                }
                start = end + 1
            }
        }
        guard let seed else { return nil }
        guard !isTooLong else { throw longParameter }
        var parts = OneTimeCodeParts(seed: seed)
        // Another type or encoding would have other codes.
        switch values["type"]?.lowercased() {
        case nil, "", "totp": break
        case "steam": throw OneTimeCodeError.steam
        case "hotp": parts.isCounter = true
        default:
            throw OneTimeCodeError(
                .unsupported,
                message: "unsupported one-time codes: the type is none of Totp, Hotp and Steam"
            )
        }
        switch values["encoding"]?.lowercased() {
        case nil, "", "base32": break
        case "base64": parts.encoding = .base64
        case "hex": parts.encoding = .hexadecimal
        case "utf8": parts.encoding = .text
        default:
            throw OneTimeCodeError(
                .unsupported,
                message: "unsupported one-time codes: the seed is none of Base32, Base64, Hex and UTF8"
            )
        }
        (parts.digits, parts.period) = (values["size"] ?? "", values["step"] ?? "")
        (parts.algorithm, parts.counter) = (values["otphashmode"] ?? "", values["counter"] ?? "")
        return parts
    }

    /// Returns whether bytes are a name of lowercase letters, in any case.
    private static func isName(_ name: String, _ bytes: Span<UInt8>) -> Bool {
        name.utf8.count == bytes.count
            && zip(bytes.indices, name.utf8).allSatisfy { index, letter in bytes[index] | 0x20 == letter }
    }

    private static func unescaped(_ text: Span<UInt8>) -> SecretBytes? {
        try? SecretBytes(capacity: text.count) { output in
            PercentCoding.component.decodeLeniently(text, into: &output)
        }
    }

    private static func isURI(_ text: SecretBytes) -> Bool {
        text.withSecretBytes { contains("://", $0) }
    }

    /// Returns whether a text contains a word. Nothing is copied.
    static func contains(_ word: String, _ bytes: Span<UInt8>) -> Bool {
        let word = Array(word.utf8)
        guard bytes.count >= word.count else { return false }
        return (0...bytes.count - word.count).contains { start in
            word.indices.allSatisfy { bytes[start + $0] == word[$0] }
        }
    }

    private static func hasSpaceAround(_ text: SecretBytes) -> Bool {
        text.withSecretBytes { bytes in
            bytes.count > 0 && (bytes[0] <= 0x20 || bytes[bytes.count - 1] <= 0x20)
        }
    }

    private static func string(_ bytes: Span<UInt8>) -> String {
        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }

    /// Takes the settings of KeeTrayTOTP: period, digits or `S` for Steam, perhaps the address of a clock.
    mutating func takeSettings(_ text: String) throws(OneTimeCodeError) {
        let settings = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard settings.count > 1 else { return }
        guard settings[1] != "S" else { throw OneTimeCodeError.steam }
        (period, digits) = (settings[0], settings[1])
    }

    /// Returns the text of a parameter; empty if there is none.
    static func parameter(_ text: SecretBytes?) throws(OneTimeCodeError) -> String {
        guard let text else { return "" }
        guard text.count <= parameterByteCount else { throw longParameter }
        return string(text)
    }

    private static var longParameter: OneTimeCodeError {
        OneTimeCodeError(
            .invalidParameters,
            message: "a parameter is longer than \(parameterByteCount) bytes"
        )
    }

    /// Copies a text that is no secret.
    static func string(_ text: SecretBytes) -> String { text.withSecretBytes { string($0) } }
}
