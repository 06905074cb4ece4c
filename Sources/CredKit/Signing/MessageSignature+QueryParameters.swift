// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// The parameters of a query, decoded as those of a form and encoded again (RFC 9421 §2.2.8). A query is taken apart
    /// once, however many of its parameters are covered.
    struct QueryParameters {
        enum Value {
            case encoded([UInt8])
            /// The name occurs more than once.
            case repeated
            /// The value is not UTF-8: as a form, it would be indistinguishable from others.
            case notUTF8
        }

        private var values: [[UInt8]: Value] = [:]
        /// Whether all names are UTF-8. Parsers of forms that are not replace, skip or keep the bytes of the others, and may
        /// thereby find the name of a covered parameter again.
        private(set) var hasValidNames = true

        init(_ query: String) {
            for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
                let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
                let name = Self.canonical(pair[..<end])
                let value = Self.canonical(pair[end...].dropFirst())
                guard let name else {
                    hasValidNames = false
                    continue
                }
                let entry = value.map { Value.encoded($0) } ?? .notUTF8
                values[name] = values[name] == nil ? entry : .repeated
            }
        }

        /// The value of a parameter; `nil` if it is missing.
        ///
        /// - Parameter name: The name, encoded as in the component's identifier.
        subscript(name: some Sequence<UInt8>) -> Value? { values[Array(name)] }

        /// Returns text decoded and encoded again; `nil` if it is not UTF-8.
        private static func canonical(_ text: Substring.UTF8View) -> [UInt8]? {
            let decoded = decode(text)
            guard String(validating: decoded, as: UTF8.self) != nil else { return nil }
            var encoded: [UInt8] = []
            appendEncoded(decoded, to: &encoded)
            return encoded
        }

        private static func decode(_ text: Substring.UTF8View) -> [UInt8] {
            var decoded: [UInt8] = []
            var rest = text
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "+") {
                    decoded.append(UInt8(ascii: " "))
                } else if byte == UInt8(ascii: "%"), let value = try? Hex.decode(rest.prefix(2)).first {
                    decoded.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    decoded.append(byte)
                }
            }
            return decoded
        }

        /// Appends text in the form of a URL-encoded form, but with spaces as `%20`.
        static func appendEncoded(_ text: some Sequence<UInt8>, to output: inout [UInt8]) {
            for byte in text {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"),
                    UInt8(ascii: "."), UInt8(ascii: "_"):
                    output.append(byte)
                default:
                    output.append(UInt8(ascii: "%"))
                    for digit in [byte >> 4, byte & 15] {
                        output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
                    }
                }
            }
        }
    }
}
