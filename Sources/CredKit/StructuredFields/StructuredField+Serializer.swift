// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// The algorithms of RFC 9651 §4.1.
    struct Serializer {
        private(set) var bytes: [UInt8] = []

        /// - Parameter text: What to append to.
        init(appendingTo text: [UInt8] = []) {
            bytes.reserveCapacity(text.count + 128)
            bytes += text
        }

        /// What was appended so far.
        var text: String { String(decoding: bytes, as: UTF8.self) }

        mutating func append(_ list: List) throws(SerializationError) {
            for (index, member) in list.members.enumerated() {
                if index > 0 { write(", ") }
                try append(member)
            }
        }

        mutating func append(_ dictionary: Dictionary) throws(SerializationError) {
            for (index, (key, value)) in dictionary.enumerated() {
                if index > 0 { write(", ") }
                try appendKey(key)
                if value.bareItem == .boolean(true) {
                    try append(value.parameters)
                } else {
                    write("=")
                    try append(value)
                }
            }
        }

        private mutating func append(_ member: Member) throws(SerializationError) {
            switch member {
            case .item(let item): try append(item)
            case .innerList(let list): try append(list)
            }
        }

        mutating func append(_ list: InnerList) throws(SerializationError) {
            if let text = list.canonicalText {
                bytes += text
                return
            }
            write("(")
            for (index, item) in list.items.enumerated() {
                if index > 0 { write(" ") }
                try append(item)
            }
            write(")")
            try append(list.parameters)
        }

        mutating func append(_ item: Item) throws(SerializationError) {
            try append(item.value)
            try append(item.parameters)
        }

        mutating func append(_ parameters: Parameters) throws(SerializationError) {
            try parameters.withEntries { entries throws(SerializationError) in
                for index in entries.indices {
                    bytes.append(UInt8(ascii: ";"))
                    try appendKey(entries[index].key)
                    if case .boolean(true) = entries[index].value { continue }
                    bytes.append(UInt8(ascii: "="))
                    try append(entries[index].value)
                }
            }
        }

        private mutating func append(_ value: BareItem) throws(SerializationError) {
            switch value {
            case .integer(let number): try appendInteger(number)
            case .decimal(let number):
                guard number.thousandths.magnitude <= Decimal.maximumThousandths.magnitude else {
                    throw .numberOutOfRange
                }
                write(number.description)
            case .string(let text): try appendString(text)
            case .token(let text):
                guard Self.isWord(text, first: Characters.isTokenStart, then: Characters.isToken) else {
                    throw .invalidToken
                }
                write(text)
            case .byteSequence(let bytes): write(":\(Base64.standard.encode(bytes)):")
            case .boolean(let isTrue): write(isTrue ? "?1" : "?0")
            case .date(let time):
                write("@")
                try appendInteger(time.seconds)
            case .displayString(let text): appendDisplayString(text)
            }
        }

        private mutating func write(_ text: String) { bytes += text.utf8 }

        private mutating func appendKey(_ key: String) throws(SerializationError) {
            guard Self.isWord(key, first: Characters.isKeyStart, then: Characters.isKey) else {
                throw .invalidKey
            }
            write(key)
        }

        private mutating func appendInteger(_ number: Int64) throws(SerializationError) {
            guard number.magnitude <= 999_999_999_999_999 else { throw .numberOutOfRange }
            write(String(number))
        }

        private mutating func appendString(_ text: String) throws(SerializationError) {
            guard !text.hasByte(where: { !Characters.isPrintable($0) }) else { throw .invalidString }
            bytes.append(UInt8(ascii: "\""))
            if text.hasByte(where: Characters.isEscaped) {
                for byte in text.utf8 {
                    if Characters.isEscaped(byte) { bytes.append(UInt8(ascii: "\\")) }
                    bytes.append(byte)
                }
            } else {
                bytes += text.utf8
            }
            bytes.append(UInt8(ascii: "\""))
        }

        private mutating func appendDisplayString(_ text: String) {
            write("%\"")
            PercentCoding.displayString.append(text.utf8, to: &bytes)
            write("\"")
        }

        private static func isWord(
            _ text: String,
            first isFirst: (UInt8) -> Bool,
            then isNext: (UInt8) -> Bool
        ) -> Bool {
            // What can be first can stand behind it as well.
            text.utf8.withContiguousSpan { bytes in
                guard !bytes.isEmpty, isFirst(bytes[0]) else { return false }
                for index in bytes.indices where !isNext(bytes[index]) { return false }
                return true
            }
        }
    }
}

extension PercentCoding {
    /// A display string between its quotes (RFC 9651 §4.1.11): printable ASCII except `%` and `"` is not escaped.
    static let displayString = PercentCoding(leaving: #" !#$&'()*+,-./:;<=>?@[\]^_`{|}~"#, isLowercase: true)
}
