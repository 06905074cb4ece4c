// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The maximum size of a message in bytes.
    static let maximumMessageByteCount = 8192

    /// The maximum size of a nonce in bytes: of one side, and of both together.
    static let maximumNonceByteCount = 1024

    /// Returns the value of decimal digits without a sign or leading zeros; `nil` for any other text, 0 included.
    static func positiveNumber(_ digits: some Collection<UInt8>) -> Int? {
        guard digits.first != UInt8(ascii: "0"), 1...18 ~= digits.count else { return nil }
        var number = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// The attributes of a message, `a=value,b=value`, read in their order.
    struct Attributes {
        private var rest: [Substring.UTF8View]

        /// Splits a message.
        init(_ message: Substring) throws(SCRAM.Error) {
            guard message.utf8.count <= maximumMessageByteCount else {
                throw .overLimit("a message is longer than \(maximumMessageByteCount) bytes")
            }
            rest = message.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            var seen: Set<UInt8> = []
            for attribute in rest {
                guard let name = attribute.first, name | 0x20 >= UInt8(ascii: "a"),
                    name | 0x20 <= UInt8(ascii: "z"),
                    attribute.dropFirst().first == UInt8(ascii: "=")
                else { throw .malformedMessage("an attribute has no name and no value") }
                guard seen.insert(name).inserted else {
                    throw .malformedMessage("the attribute '\(Character(UnicodeScalar(name)))' occurs twice")
                }
            }
            if seen.contains(UInt8(ascii: "m")) { throw .unsupported("it has a mandatory extension (m=)") }
        }

        /// Removes the first attribute, which must be this one, and returns its value.
        mutating func next(_ name: Unicode.Scalar) throws(SCRAM.Error) -> Substring.UTF8View {
            guard let value = optional(name) else {
                throw .malformedMessage("the attribute '\(name)' is missing or not in its place")
            }
            guard !value.isEmpty else { throw .malformedMessage("the attribute '\(name)' is empty") }
            return value
        }

        /// Removes the first attribute if it is this one, and returns its value.
        mutating func optional(_ name: Unicode.Scalar) -> Substring.UTF8View? {
            guard let first = rest.first, first.first == UInt8(truncatingIfNeeded: name.value) else {
                return nil
            }
            rest.removeFirst()
            return first.dropFirst(2)
        }

        /// The nonce, which must be the first attribute.
        mutating func nonce() throws(SCRAM.Error) -> String {
            let nonce = try next("r")
            guard nonce.count <= maximumNonceByteCount else {
                throw .overLimit("a nonce is longer than \(maximumNonceByteCount) bytes")
            }
            guard nonce.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw .malformedMessage("the nonce has characters that are not printable ASCII")
            }
            return String(Substring(nonce))
        }

        /// The bytes of the first attribute, in Base64.
        mutating func bytes(_ name: Unicode.Scalar) throws(SCRAM.Error) -> [UInt8] {
            let text = try next(name)
            do throws(Base64.DecodingError) {
                return try Base64.standard.decode(text)
            } catch {
                throw .malformedMessage("the attribute '\(name)' is not padded Base64")
            }
        }

        /// Requires that no attributes remain but optional extensions, which are ignored.
        func end(except reserved: Set<Unicode.Scalar>) throws(SCRAM.Error) {
            for attribute in rest {
                guard let name = attribute.first, !reserved.contains(UnicodeScalar(name)) else {
                    throw .malformedMessage("an attribute is not in its place")
                }
            }
        }

        /// The last attribute, which is removed.
        mutating func last(_ name: Unicode.Scalar) throws(SCRAM.Error) -> [UInt8] {
            guard let last = rest.popLast() else {
                throw .malformedMessage("the attribute '\(name)' is missing or not in its place")
            }
            var attribute = self
            attribute.rest = [last]
            return try attribute.bytes(name)
        }
    }

    /// Returns the text of a message; throws if it is not UTF-8 or contains NUL.
    static func text(of message: some Collection<UInt8>) throws(SCRAM.Error) -> String {
        guard message.count <= maximumMessageByteCount else {
            throw .overLimit("a message is longer than \(maximumMessageByteCount) bytes")
        }
        guard !message.contains(0), let text = String(validating: message, as: UTF8.self) else {
            throw .malformedMessage("it is not UTF-8, or contains NUL")
        }
        return text
    }
}
