// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The value of a header of HTTP authentication ([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-11), section
    /// 11), as SCRAM uses it ([RFC 7804](https://www.rfc-editor.org/rfc/rfc7804)):
    ///
    /// ```
    /// Authorization: SCRAM-SHA-256 data="biwsbj11c2VyLHI9…"
    /// WWW-Authenticate: SCRAM-SHA-256 sid="AAAABBBB", data="cj1yT3ByTkdmd0…"
    /// Authentication-Info: sid="AAAABBBB", data="dj02cnJpVFJCaTIzV…"
    /// ```
    public struct AuthenticationHeader: Sendable, Hashable {
        /// A parameter of a header.
        public struct Parameter: Sendable, Hashable {
            /// The name, as it was written. Names that differ in case only are equal.
            public let name: String
            /// The value, without quotes and escapes.
            public let value: String

            /// Creates a parameter.
            ///
            /// - Parameters:
            ///   - name: The name, a token.
            ///   - value: The value, without control characters.
            public init(_ name: String, _ value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The maximum size of the value in bytes.
        public static let maximumByteCount = 32 << 10

        /// The maximum number of parameters of one scheme, and of schemes in one value.
        public static let maximumCount = 16

        /// The name of the scheme, such as `SCRAM-SHA-256`, as it was written; `nil` for the header Authentication-Info, which
        /// names none.
        public let scheme: String?

        /// The parameters.
        public let parameters: [Parameter]

        init(parsedScheme scheme: String?, _ parameters: [Parameter]) {
            self.scheme = scheme
            self.parameters = parameters
        }

        /// Creates a value.
        ///
        /// - Parameters:
        ///   - scheme: The name of the scheme; `nil` for Authentication-Info.
        ///   - parameters: The parameters.
        /// - Throws: ``SCRAM/Error/malformedMessage`` if a name is not a token or occurs twice, or if a value has control
        ///   characters, such as line breaks.
        public init(scheme: String?, parameters: [Parameter]) throws(SCRAM.Error) {
            let names = parameters.map(\.name) + (scheme.map { [$0] } ?? [])
            guard names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(HeaderReader.isTokenByte) }) else {
                throw .malformedMessage("the name of a scheme or parameter is not a token")
            }
            guard parameters.allSatisfy({ $0.value.utf8.allSatisfy(HeaderReader.isTextByte) }) else {
                throw .malformedMessage("the value of a parameter has control characters")
            }
            try HeaderReader.checkNames(of: parameters)
            self.init(parsedScheme: scheme, parameters)
        }

        /// Creates a value that carries a message of SCRAM.
        ///
        /// - Parameters:
        ///   - scheme: The name of the scheme; `nil` for Authentication-Info.
        ///   - realm: The realm, if any.
        ///   - sid: The identifier of the exchange, if there is one yet.
        ///   - message: The message, which is encoded in Base64; `nil` for none.
        ///   - others: Further parameters.
        /// - Throws: As for ``init(scheme:parameters:)``.
        public init(
            _ scheme: String?,
            realm: String? = nil,
            sid: String? = nil,
            message: String? = nil,
            others: [Parameter] = []
        ) throws(SCRAM.Error) {
            let data = message.map { Base64.standard.encode($0.utf8) }
            let known = [("realm", realm), ("sid", sid), ("data", data)]
            try self.init(
                scheme: scheme,
                parameters: known.compactMap { name, value in value.map { .init(name, $0) } } + others
            )
        }

        /// Returns the value of a parameter, whose name is found in any case.
        ///
        /// - Parameter name: The name.
        public subscript(name: String) -> String? {
            parameters.first { HeaderReader.isEqual($0.name, name) }?.value
        }

        /// The mechanism of the scheme; `nil` if it is not one of SCRAM.
        public var mechanism: Mechanism? { scheme.flatMap { Mechanism(name: $0) } }

        /// The message in the parameter `data`; `nil` if there is no such parameter.
        ///
        /// - Returns: The message.
        /// - Throws: ``SCRAM/Error/malformedMessage`` if it is not padded Base64 of UTF-8.
        public func message() throws(SCRAM.Error) -> String? {
            guard let data = self["data"] else { return nil }
            let bytes: [UInt8]
            do throws(Base64.DecodingError) {
                bytes = try Base64.standard.decode(data)
            } catch {
                throw .malformedMessage("the parameter data is not padded Base64")
            }
            return try SCRAM.text(of: bytes)
        }

        /// The text of the value, with all parameters in quotes.
        public var text: String {
            let list = parameters.map { parameter in
                let value = parameter.value.unicodeScalars.reduce(into: "") { text, scalar in
                    if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
                    text.unicodeScalars.append(scalar)
                }
                return "\(parameter.name)=\"\(value)\""
            }
            let text = list.joined(separator: ", ")
            guard let scheme else { return text }
            return list.isEmpty ? scheme : "\(scheme) \(text)"
        }
    }
}

extension SCRAM.AuthenticationHeader: CustomStringConvertible, CustomReflectable {
    /// The scheme, without the parameters: they can contain secrets of a login.
    public var description: String { "‹\(scheme.map { "header \($0)" } ?? "header")›" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
