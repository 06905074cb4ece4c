// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordBlocklist {
    /// The hash function through which a list names its words. It protects no word, because words are short and lists are
    /// public.
    public struct HashFunction: Sendable, Hashable, CustomStringConvertible {
        enum Kind: String, CaseIterable {
            case md4
            case ntlmCP1252 = "ntlm-cp1252"
            case sha1
            case ntlm
        }

        let kind: Kind

        /// MD4 of the bytes of a word: filters that pwqfilter makes of plain words.
        public static let md4 = Self(kind: .md4)
        /// MD4 of the UTF-16 of a word whose bytes are taken for Windows code page 1252: filters that pwqfilter makes with
        /// `--hash-ntlm-cp1252`.
        public static let ntlmCP1252 = Self(kind: .ntlmCP1252)
        /// SHA-1 of the bytes of a word: the usual lists of Have I Been Pwned.
        public static let sha1 = Self(kind: .sha1)
        /// The NT hash, MD4 of the UTF-16 of a word: the other lists of Have I Been Pwned.
        public static let ntlm = Self(kind: .ntlm)

        /// All of them.
        public static let all = Kind.allCases.map { Self(kind: $0) }

        /// The name: `md4`, `ntlm-cp1252`, `sha1`, `ntlm`.
        public var description: String { kind.rawValue }
    }
}

extension PasswordBlocklist.HashFunction {
    /// The number of hexadecimal digits of a hash.
    package var digitCount: Int { kind == .sha1 ? 40 : 32 }

    /// The number in the header of a filter; 0 for a function that the format does not name.
    var filterID: UInt8 {
        switch kind {
        case .md4: 1
        case .ntlmCP1252: 2
        case .sha1, .ntlm: 0
        }
    }

    /// Calls `body` with the hash of a word. Returns `nil` if the word has none, because it is not UTF-8.
    func withHash<Result>(of word: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result? {
        switch kind {
        case .md4: return MD4.hash(secret: word).withContiguousSpan(body)
        case .sha1: return Legacy.SHA1.hash(secret: word).withContiguousSpan(body)
        case .ntlmCP1252:
            var function = MD4()
            for index in word.indices { function.update(codeUnit: Self.codePage1252(word[index])) }
            return function.finalizeAndWipe().withContiguousSpan(body)
        case .ntlm:
            var function = MD4()
            guard function.updateUTF16(ofUTF8: word) else {
                function.wipe()
                return nil
            }
            return function.finalizeAndWipe().withContiguousSpan(body)
        }
    }

    /// The upper half of Windows code page 1252 before U+00A0. Undefined bytes stay as they are.
    private static let codePage1252High: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152,
        0x8D,
        0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161,
        0x203A,
        0x153, 0x9D, 0x17E, 0x178,
    ]

    private static func codePage1252(_ byte: UInt8) -> UInt16 {
        0x80...0x9F ~= byte ? codePage1252High[Int(byte) - 0x80] : UInt16(byte)
    }
}

extension MD4 {
    /// Appends a code unit of UTF-16, its low byte first.
    fileprivate mutating func update(codeUnit: UInt16) {
        let bytes: InlineArray<2, UInt8> = [UInt8(truncatingIfNeeded: codeUnit), UInt8(codeUnit >> 8)]
        update(bytes.span)
    }

    /// Appends the UTF-16 of a text, without a copy of it. Returns whether the bytes are UTF-8.
    fileprivate mutating func updateUTF16(ofUTF8 text: Span<UInt8>) -> Bool {
        unsafe text.withUnsafeBufferPointer { text in
            var bytes = unsafe text.makeIterator()
            var decoder = UTF8()
            while true {
                switch unsafe decoder.decode(&bytes) {
                case .scalarValue(let scalar):
                    for unit in UTF16.encode(scalar) ?? .init() { update(codeUnit: unit) }
                case .emptyInput: return true
                case .error: return false
                }
            }
        }
    }
}
