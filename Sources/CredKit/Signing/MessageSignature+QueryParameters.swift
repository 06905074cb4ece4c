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
            let decoded = PercentCoding.query.decodeLeniently(text)
            guard String(validating: decoded, as: UTF8.self) != nil else { return nil }
            var encoded: [UInt8] = []
            PercentCoding.query.append(decoded, to: &encoded)
            return encoded
        }
    }
}
