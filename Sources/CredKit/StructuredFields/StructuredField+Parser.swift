// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// The algorithms of RFC 9651 §4.2 for containers. Nothing here calls itself: the depth is that of the types.
    struct Parser {
        let bytes: [UInt8]
        private(set) var offset = 0
        /// Whether a key of a dictionary or of parameters was replaced by a later one.
        private(set) var hasRepeatedKeys = false
        /// Whether serializing gives the same text again, as far as this is known without doing so. It is reset at the
        /// beginning of each inner list.
        var isCanonical = true
        /// An inner list that is likely to come.
        private let known: KnownItems?

        init(_ bytes: some Collection<UInt8>) throws(ParsingError) {
            // A longer value is not copied.
            try self.init(Array(bytes.prefix(maximumByteCount + 1)))
        }

        init(_ bytes: consuming [UInt8], expecting known: KnownItems? = nil) throws(ParsingError) {
            guard bytes.count <= maximumByteCount else { throw .limitExceeded(at: maximumByteCount) }
            self.bytes = bytes
            self.known = known
        }

        /// The next byte; `nil` at the end.
        var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        /// The error for a byte that cannot stand here.
        var unexpected: ParsingError {
            next == nil ? .unexpectedEnd(at: offset) : .invalidCharacter(at: offset)
        }

        /// Skips the next byte if it meets a condition, and returns it.
        mutating func take(where isExpected: (UInt8) -> Bool) -> UInt8? {
            guard let next, isExpected(next) else { return nil }
            offset += 1
            return next
        }

        /// Skips all bytes that meet a condition. A loop over a span takes half the time of one over ``take(where:)``.
        @inline(__always)
        mutating func skip(while isExpected: (UInt8) -> Bool) {
            let start = offset
            let end = Self.end(of: bytes.span, from: start, while: isExpected)
            offset = end
        }

        @inline(__always)
        private static func end(
            of bytes: Span<UInt8>,
            from start: Int,
            while isExpected: (UInt8) -> Bool
        ) -> Int {
            var end = start
            while end < bytes.count, isExpected(bytes[end]) { end += 1 }
            return end
        }

        /// Skips a character, and returns whether it was there.
        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            take { $0 == UInt8(ascii: character) } != nil
        }

        mutating func skipSpaces() {
            skip { $0 == UInt8(ascii: " ") }
        }

        /// Skips spaces that no serializer writes.
        private mutating func expectNoSpaces() {
            let start = offset
            skipSpaces()
            if offset > start { isCanonical = false }
        }

        /// Rejects everything except spaces behind a value.
        mutating func finish() throws(ParsingError) {
            skipSpaces()
            guard next == nil else { throw unexpected }
        }

        mutating func list() throws(ParsingError) -> List {
            var list: List = []
            guard next != nil else { return list }
            repeat {
                try require(list.members.count < maximumMemberCount)
                list.members.append(try member())
            } while try skipComma()
            return list
        }

        mutating func dictionary() throws(ParsingError) -> Dictionary {
            var dictionary: Dictionary = [:]
            guard next != nil else { return dictionary }
            repeat {
                let key = try key()
                let value = try skip("=") ? member() : .item(Item(.boolean(true), parameters: parameters()))
                if !dictionary.set(key, consume value) { hasRepeatedKeys = true }
                try require(dictionary.count <= maximumMemberCount)
            } while try skipComma()
            return dictionary
        }

        /// Skips a comma between two members. Returns `false` at the end.
        private mutating func skipComma() throws(ParsingError) -> Bool {
            skipOptionalWhitespace()
            guard next != nil else { return false }
            guard skip(",") else { throw unexpected }
            skipOptionalWhitespace()
            guard next != nil else { throw .trailingComma(at: offset) }
            return true
        }

        private mutating func skipOptionalWhitespace() {
            skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        }

        private mutating func member() throws(ParsingError) -> Member {
            try skip("(") ? .innerList(innerList()) : .item(item())
        }

        /// Parses an inner list behind its opening parenthesis.
        private mutating func innerList() throws(ParsingError) -> InnerList {
            let start = offset - 1
            isCanonical = true
            let (items, parameters) = (try items(), try parameters())
            let text = isCanonical ? bytes[start..<offset] : nil
            return InnerList(items, parameters: parameters, canonicalText: text)
        }

        /// Parses the items of an inner list up to its closing parenthesis.
        mutating func items() throws(ParsingError) -> [Item] {
            if let known, skip(known) { return known.items }
            var items: [Item] = []
            expectNoSpaces()
            while !skip(")") {
                try require(items.count < maximumMemberCount)
                items.append(try item())
                guard next != UInt8(ascii: ")") else { continue }
                guard skip(" ") else { throw unexpected }
                expectNoSpaces()
                if next == UInt8(ascii: ")") { isCanonical = false }
            }
            return items
        }

        /// Skips a known list behind its opening parenthesis, and returns whether it was there.
        private mutating func skip(_ known: KnownItems) -> Bool {
            let start = offset - 1
            guard bytes.count - start >= known.text.count else { return false }
            for index in known.text.indices where known.text[index] != bytes[start + index] { return false }
            offset = start + known.text.count
            hasRepeatedKeys = hasRepeatedKeys || known.hasRepeatedKeys
            isCanonical = isCanonical && known.isCanonical
            return true
        }

        mutating func item() throws(ParsingError) -> Item {
            let value = try bareItem()
            return Item(value, parameters: try parameters())
        }

        private mutating func parameters() throws(ParsingError) -> Parameters {
            var parameters: Parameters = [:]
            while skip(";") {
                expectNoSpaces()
                let key = try key()
                var value = BareItem.boolean(true)
                if skip("=") {
                    value = try bareItem()
                    if case .boolean(true) = value { isCanonical = false }
                }
                if !parameters.set(key, consume value) { (hasRepeatedKeys, isCanonical) = (true, false) }
                try require(parameters.count <= maximumMemberCount)
            }
            return parameters
        }

        private func require(_ isWithinLimit: Bool) throws(ParsingError) {
            guard isWithinLimit else { throw .limitExceeded(at: offset) }
        }
    }
}
