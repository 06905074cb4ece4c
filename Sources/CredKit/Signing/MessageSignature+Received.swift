// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// A signature as it stands in a message, which nothing has verified.
    public struct Received: Hashable, Sendable {
        /// The name in both fields. The signature does not cover it.
        public let label: String
        /// The signature.
        public let signature: [UInt8]
        private let list: StructuredField.InnerList

        /// Reads what the signature covers.
        ///
        /// - Returns: The components and parameters.
        /// - Throws: ``Error`` if they are malformed or unknown, or exceed a limit.
        public func input() throws(Error) -> Input { try Input(list) }

        func input(expecting expected: ExpectedComponents) throws(Error) -> Input {
            try Input(list, expecting: expected)
        }

        /// Reads the fields `Signature-Input` and `Signature` of a message.
        ///
        /// Both must have the same labels, each once. RFC 9651 would use the last value of a repeated one; a message that
        /// repeats one is rejected instead, because another parser may have used the first.
        ///
        /// - Parameter message: The message.
        /// - Returns: The signatures in order; empty if the message has neither field.
        /// - Throws: ``Error`` if the fields are malformed, repeat something, or exceed a limit.
        public static func all(in message: Message) throws(Error) -> [Received] {
            try all(in: message, expecting: nil)
        }

        static func all(
            in message: Message,
            expecting expected: ExpectedComponents?
        ) throws(Error) -> [Received] {
            let fields = message.fields
            let inputs = try dictionary("signature-input", fields, expected?.known)
            let signatures = try dictionary("signature", fields)
            guard inputs.count <= maximumSignatureCount, signatures.count <= maximumSignatureCount else {
                throw .limitExceeded("signatures")
            }
            guard inputs.count == signatures.count else {
                throw .malformedField("Signature-Input and Signature have different labels")
            }
            var all: [Received] = []
            all.reserveCapacity(inputs.count)
            var entries = inputs.takeEntries()
            // From the end, members can be moved out. Copying one takes more time than reading it.
            entries.reverse()
            while let entry = entries.popLast() {
                all.append(try Received(entry.key, entry.value, signatures))
            }
            return all
        }

        private init(
            _ label: String,
            _ member: consuming StructuredField.Member,
            _ signatures: StructuredField.Dictionary
        ) throws(Error) {
            guard label.utf8.count <= maximumTextByteCount else { throw .limitExceeded("a label") }
            guard case .innerList(let list) = consume member else {
                throw .malformedField("a member of Signature-Input is not a list")
            }
            guard let other = signatures[label] else {
                throw .malformedField("Signature-Input and Signature have different labels")
            }
            guard case .item(let item) = consume other, item.parameters.isEmpty,
                case .byteSequence(let signature) = item.value
            else { throw .malformedField("a member of Signature is not a byte sequence alone") }
            self.label = label
            self.signature = signature
            self.list = list
        }

        private static func dictionary(
            _ name: String,
            _ fields: [Field],
            _ known: StructuredField.KnownItems? = nil
        ) throws(Error) -> StructuredField.Dictionary {
            var joined: [UInt8] = []
            var isFirst = true
            let span = fields.span
            for index in span.indices where span[index].isNamed(name) {
                guard span[index].value.count <= maximumFieldByteCount - joined.count else {
                    throw .limitExceeded("the field '\(name)'")
                }
                if isFirst {
                    // A single line, the common case, is not copied.
                    joined = span[index].value
                } else {
                    joined += [UInt8(ascii: ","), UInt8(ascii: " ")]
                    joined.append(span[index].value.span)
                }
                isFirst = false
            }
            guard joined.count <= maximumFieldByteCount else { throw .limitExceeded("the field '\(name)'") }
            return try uniqueDictionary(consume joined, name, expecting: known)
        }
    }

    /// Parses a dictionary in which no key or parameter occurs twice.
    static func uniqueDictionary(
        _ bytes: consuming [UInt8],
        _ name: String,
        expecting known: StructuredField.KnownItems? = nil
    ) throws(Error) -> StructuredField.Dictionary {
        let dictionary: StructuredField.Dictionary
        let hasRepeatedKeys: Bool
        do throws(StructuredField.ParsingError) {
            var parser = try StructuredField.Parser(bytes, expecting: known)
            parser.skipSpaces()
            dictionary = try parser.dictionary()
            try parser.finish()
            hasRepeatedKeys = parser.hasRepeatedKeys
        } catch .limitExceeded {
            throw .limitExceeded("the field '\(name)' or its members")
        } catch {
            throw .malformedField("\(name): \(error)")
        }
        guard !hasRepeatedKeys else { throw .repeated("a label or parameter in the field '\(name)'") }
        return dictionary
    }
}
