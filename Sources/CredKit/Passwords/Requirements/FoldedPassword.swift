// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A text in which letters that users exchange are the same: capital letters, digits and signs that look like letters, and
/// both ways to write a letter with an accent.
struct FoldedPassword {
    /// The number of characters besides the words of the context that make a password acceptable: the length that a password
    /// must have in any case.
    private static let leastRest = PasswordRequirements.minimumLengthWithSecondFactor

    private let text: SecretBytes

    /// Folds a text. Characters beyond ASCII are copied into strings, whose memory is freed without being wiped.
    init(_ password: Span<UInt8>) throws(PasswordError) {
        do throws(SecretMemoryError) {
            if password.indices.allSatisfy({ password[$0] < 0x80 }) {
                text = try SecretBytes(capacity: password.count) { output in
                    for index in password.indices { output.append(Self.fold(password[index])) }
                }
            } else {
                text = try SecretBytes(Self.composed(password).flatMap(Self.fold))
            }
        } catch {
            throw .outOfMemory("there is not enough memory to check the password")
        }
    }

    /// Returns the characters of a text in normalization form C.
    private static func composed(_ text: Span<UInt8>) -> String.UnicodeScalarView {
        let text = unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        return NormalizationFormC.normalized(text.unicodeScalars)
    }

    /// The folded text.
    var bytes: [UInt8] { text.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } } }

    private static func fold(_ scalar: Unicode.Scalar) -> [UInt8] {
        guard !scalar.isASCII else { return [fold(UInt8(scalar.value))] }
        guard scalar.properties.generalCategory != .spaceSeparator else { return [UInt8(ascii: " ")] }
        return Array(scalar.properties.lowercaseMapping.utf8)
    }

    private static func fold(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): fold(byte | 0x20)
        case UInt8(ascii: "0"): UInt8(ascii: "o")
        case UInt8(ascii: "1"), UInt8(ascii: "!"), UInt8(ascii: "|"), UInt8(ascii: "l"): UInt8(ascii: "i")
        case UInt8(ascii: "2"): UInt8(ascii: "z")
        case UInt8(ascii: "3"): UInt8(ascii: "e")
        case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "a")
        case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
        case UInt8(ascii: "7"), UInt8(ascii: "+"): UInt8(ascii: "t")
        case UInt8(ascii: "8"): UInt8(ascii: "b")
        default: byte
        }
    }

    /// Returns the number of characters of a text; bytes that are not UTF-8 count as one or none.
    static func characterCount(_ text: Span<UInt8>) -> Int {
        text.indices.count { text[$0] & 0xC0 != 0x80 }
    }

    /// Returns the first word that this text is made of, with little else; `nil` if there is none.
    func derivation(
        from words: [PasswordRequirements.ContextWord]
    ) throws(PasswordError) -> PasswordRequirements.ContextWord? {
        for kind in [PasswordRequirements.ContextWord.Kind.userName, .serviceName] {
            var folded: [[UInt8]] = []
            let words = words.filter { $0.kind == kind }
            for word in words { folded += try word.foldedWords() }
            if text.withSecretBytes({ Self.isMade(of: folded, $0) }) { return words.first }
        }
        return nil
    }

    private static func isMade(of words: [[UInt8]], _ text: Span<UInt8>) -> Bool {
        var isCovered = Array(repeating: false, count: text.count)
        for word in words where !word.isEmpty && word.count <= text.count {
            for start in 0...(text.count - word.count)
            where word.indices.allSatisfy({ word[$0] == text[start + $0] }) {
                for index in start..<start + word.count { isCovered[index] = true }
            }
        }
        guard isCovered.contains(true) else { return false }
        return text.indices.count { !isCovered[$0] && text[$0] & 0xC0 != 0x80 } < leastRest
    }
}
