// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension PasswordGenerator {
    /// Characters that passwords are made of, each once.
    public struct Alphabet: Sendable, Hashable, CustomStringConvertible {
        /// The maximum number of characters.
        public static let maximumCount = 1024

        let scalars: [Unicode.Scalar]
        private let isASCII: Bool

        /// The decimal digits, 10 characters.
        public static let digits = Self(unchecked: "0123456789")
        /// The digits and `a` to `f`, 16 characters.
        public static let hexadecimal = Self(unchecked: "0123456789abcdef")
        /// `a` to `z`, 26 characters.
        public static let lowercase = Self(unchecked: "abcdefghijklmnopqrstuvwxyz")
        /// The letters of ASCII, 52 characters.
        public static let letters = Self(
            unchecked: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        )
        /// The letters and digits of ASCII, 62 characters.
        public static let alphanumeric = Self(
            unchecked: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        )
        /// The printable characters of ASCII other than the space, 94 characters.
        public static let printable = Self(
            unchecked: String(
                String.UnicodeScalarView((0x21...0x7E as ClosedRange<UInt8>).map { Unicode.Scalar($0) })
            )
        )
        /// Lowercase letters and digits without those that look like others (`0 1 i l o`), 31 characters.
        public static let readable = Self(unchecked: "23456789abcdefghjkmnpqrstuvwxyz")

        /// The alphabets with a name.
        package static let named: [(name: String, alphabet: Self)] = [
            ("digits", .digits), ("hexadecimal", .hexadecimal), ("lowercase", .lowercase),
            ("letters", .letters),
            ("alphanumeric", .alphanumeric), ("printable", .printable), ("readable", .readable),
        ]

        private init(unchecked characters: String) { self.init(Array(characters.unicodeScalars)) }

        private init(_ scalars: [Unicode.Scalar]) {
            self.scalars = scalars
            isASCII = scalars.allSatisfy(\.isASCII)
        }

        /// Creates an alphabet.
        ///
        /// - Parameter characters: The characters of Unicode (code points), 2 to 1024, each once, without controls, spaces
        ///   and characters that are seen only together with others. Two that are canonically equivalent are one:
        ///   normalization makes them equal.
        /// - Throws: ``PasswordError/invalidParameters``.
        public init(_ characters: String) throws(PasswordError) {
            let scalars = Array(characters.unicodeScalars)
            guard 2...Self.maximumCount ~= scalars.count else {
                throw .invalidParameters("an alphabet has 2 to \(Self.maximumCount) characters")
            }
            // A character that stands twice would be twice as frequent, and the strength lower than stated. Characters are
            // compared as Unicode does: the signs of Ohm and Ångström are letters.
            guard Set(scalars.map(Character.init)).count == scalars.count else {
                throw .invalidParameters("a character stands twice in the alphabet")
            }
            guard scalars.allSatisfy(Self.isAllowed) else {
                throw .invalidParameters("the alphabet has a character that is not seen alone")
            }
            self.init(scalars)
        }

        private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
            // Vowels and final consonants of Hangul become one character with the letter before them.
            guard !(0x1160...0x11FF ~= scalar.value) else { return false }
            return switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
                .spaceSeparator, .nonspacingMark, .spacingMark, .enclosingMark:
                false
            default: true
            }
        }

        /// The characters, in their order.
        public var characters: String { String(String.UnicodeScalarView(scalars)) }

        /// The strength that each character adds, in bits.
        public var bitsPerCharacter: Double { log2(Double(scalars.count)) }

        /// The maximum number of bytes of a character.
        var maximumByteCount: Int { isASCII ? 1 : 4 }

        /// Appends the character with a number. All characters are read, so that the number does not show in the places of
        /// memory.
        func append(_ number: Int, to output: inout OutputSpan<UInt8>) {
            var value: UInt32 = 0
            for index in scalars.indices {
                // All ones if the numbers are equal: only then their difference is 0.
                let difference = UInt32(truncatingIfNeeded: index ^ number)
                value |= scalars[index].value & UInt32(truncatingIfNeeded: (UInt64(difference) &- 1) >> 32)
            }
            if isASCII {
                output.append(UInt8(truncatingIfNeeded: value))
            } else if let scalar = Unicode.Scalar(value) {
                for byte in String(scalar).utf8 { output.append(byte) }
            }
        }

        /// The number of characters.
        public var description: String { "‹alphabet of \(scalars.count) characters›" }
    }
}
