// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// The identifier of a part of a message: a name with parameters.
    ///
    /// Identifiers are equal if they have the same name and the same parameters, in any order, as RFC 9421 §2 defines.
    ///
    /// The parameter `sf` needs the type of the field. It is known of `accept-ch`, `accept-signature`, `cache-status`,
    /// `client-cert`, `client-cert-chain`, `content-digest`, `priority`, `proxy-status`, `repr-digest`, `signature`,
    /// `signature-input`, `want-content-digest` and `want-repr-digest`. A message with `sf` for any other field can neither
    /// be signed nor verified. `key` works with every field that is a dictionary, and `bs` with every field.
    public struct Component: Hashable, Sendable, CustomStringConvertible {
        /// Components are copied more often than made, and a reference is copied faster than what it points to.
        private let storage: Storage

        private final class Storage: Sendable {
            let name: String
            let parameters: StructuredField.Parameters
            let identifier: [UInt8]
            let derived: Derived?

            init(_ name: String, _ parameters: StructuredField.Parameters, _ identifier: [UInt8]) {
                self.name = name
                self.parameters = parameters
                self.identifier = identifier
                derived = Derived(name)
            }
        }

        /// The name of a field in lower case, or of a derived component, such as `@method`.
        public var name: String { storage.name }

        /// The parameters, in the order in which they were written.
        public var parameters: StructuredField.Parameters { storage.parameters }

        /// The identifier as it stands in fields and in the signature base.
        var identifier: [UInt8] { storage.identifier }

        /// Which part of the message this is; `nil` for fields and for unknown names.
        var derived: Derived? { storage.derived }

        /// Creates an identifier.
        ///
        /// - Parameters:
        ///   - name: The name of a field in lower case, or of a derived component, such as `@method`.
        ///   - parameters: The parameters.
        /// - Throws: ``Error``, with the code `invalidComponent` or `limitExceeded`.
        public init(_ name: String, parameters: StructuredField.Parameters = [:]) throws(Error) {
            do {
                storage = Storage(name, parameters, try Self.serialize(name, parameters))
            } catch {
                throw .invalidComponent(name, error.description)
            }
            try validate()
        }

        init(unchecked name: String, _ parameters: StructuredField.Parameters = [:]) {
            storage = Storage(name, parameters, (try? Self.serialize(name, parameters)) ?? [])
        }

        private static func serialize(
            _ name: String,
            _ parameters: StructuredField.Parameters
        ) throws(StructuredField.SerializationError) -> [UInt8] {
            var serializer = StructuredField.Serializer()
            try serializer.append(StructuredField.Item(.string(name), parameters: parameters))
            return serializer.bytes
        }

        /// Creates an identifier from its item in a field.
        init(_ item: StructuredField.Item) throws(Error) {
            guard case .string(let name) = item.value else {
                throw .malformedField("a covered component is not a string")
            }
            if item.parameters.isEmpty {
                let known = Self.wellKnown.span
                for index in known.indices where known[index].name.hasBytes(of: name) {
                    self = known[index]
                    return
                }
            }
            try self.init(name, parameters: item.parameters)
        }

        /// The components that need neither be checked nor written again.
        private static let wellKnown: [Self] = [
            .method, .authority, .path, .query, .contentDigest, .targetURI, .status,
        ]

        /// Whether the component is not a field.
        var isDerived: Bool { name.utf8.first == UInt8(ascii: "@") }

        func has(_ flag: String) -> Bool { !parameters.isEmpty && parameters[flag] == .boolean(true) }

        /// Returns whether two identifiers are equal.
        public static func == (left: Self, right: Self) -> Bool {
            if left.storage === right.storage || left.identifier == right.identifier { return true }
            guard !left.parameters.isEmpty else { return false }
            return left.name.hasBytes(of: right.name)
                && left.parameters.count == right.parameters.count
                && left.parameters.allSatisfy { right.parameters[$0.key] == $0.value }
        }

        /// Feeds the identifier to a hasher.
        ///
        /// - Parameter hasher: The hasher.
        public func hash(into hasher: inout Hasher) {
            for byte in name.utf8 { hasher.combine(byte) }
            hasher.combine(parameters.count)
        }

        /// The identifier as in the field `Signature-Input`, such as `"@query-param";name="id"`.
        public var description: String { String(decoding: identifier, as: UTF8.self) }
    }
}

extension MessageSignature.Component {
    /// The method of a request.
    public static let method = Self(unchecked: "@method")
    /// The whole URL of a request.
    public static let targetURI = Self(unchecked: "@target-uri")
    /// The host in lower case, with the port unless it is the scheme's default.
    public static let authority = Self(unchecked: "@authority")
    /// The scheme of the URL.
    public static let scheme = Self(unchecked: "@scheme")
    /// The target in the request line of HTTP/1.1.
    public static let requestTarget = Self(unchecked: "@request-target")
    /// The path of the URL, without the query.
    public static let path = Self(unchecked: "@path")
    /// The query of the URL with its question mark.
    public static let query = Self(unchecked: "@query")
    /// The status code of a response.
    public static let status = Self(unchecked: "@status")
    /// The field that stands for the content. See ``ContentDigest``.
    public static let contentDigest = Self(unchecked: "content-digest")

    /// Returns the identifier of a field.
    ///
    /// - Parameter name: The name, in any case.
    /// - Returns: The identifier.
    /// - Throws: ``MessageSignature/Error``, with the code `invalidComponent`.
    public static func field(_ name: String) throws(MessageSignature.Error) -> Self {
        let name = String(decoding: name.utf8.map(MessageSignature.lowercased), as: UTF8.self)
        guard name.utf8.first != UInt8(ascii: "@") else {
            throw .invalidComponent("@", "this is not the name of a field")
        }
        return try Self(name)
    }

    /// Returns the identifier of a parameter of the query, which must occur once in it.
    ///
    /// - Parameter name: The name, decoded.
    /// - Returns: The identifier.
    /// - Throws: ``MessageSignature/Error``, with the code `limitExceeded`.
    public static func queryParameter(_ name: String) throws(MessageSignature.Error) -> Self {
        try Self("@query-param", parameters: ["name": .string(PercentCoding.query.encode(name.utf8))])
    }

    /// The same component of the request that a response answers. There is none of ``status``: nothing can be signed or
    /// verified with it.
    public var ofRequest: Self {
        var parameters = parameters
        parameters["req"] = true
        return Self(unchecked: name, parameters)
    }
}

extension MessageSignature.Component {
    /// Returns the canonical form of a structured field or of its member, as the parameters `sf` and `key` require;
    /// `nil` if there is none of them.
    ///
    /// - Parameters:
    ///   - value: The joined lines of the field.
    ///   - known: The dictionaries that were parsed before, by the name of the field. A signature can cover many members of
    ///     one.
    /// - Returns: The canonical form.
    /// - Throws: ``MessageSignature/Error`` if the field or the member is missing or has another type.
    func structuredValue(
        of value: [UInt8],
        _ known: inout [String: StructuredField.Dictionary]
    ) throws(MessageSignature.Error) -> [UInt8]? {
        do {
            if case .string(let key)? = parameters["key"] {
                let parsed = try known[name] ?? dictionary(value)
                known[name] = parsed
                guard let member = parsed[key] else { throw MessageSignature.Error.missingComponent(name) }
                return Array(try member.serialized().utf8)
            }
            guard has("sf") else { return nil }
            let text =
                switch name {
                case "content-digest", "repr-digest", "want-content-digest", "want-repr-digest", "signature",
                    "signature-input", "accept-signature", "priority":
                    try dictionary(value).serialized()
                case "cache-status", "proxy-status", "client-cert-chain", "accept-ch":
                    try StructuredField.List(parsing: value).serialized()
                case "client-cert":
                    try StructuredField.Item(parsing: value).serialized()
                default:
                    throw MessageSignature.Error.invalidComponent(name, "the type of this field is unknown")
                }
            return Array(text.utf8)
        } catch let error as MessageSignature.Error {
            throw error
        } catch {
            throw .invalidValue(name, "it is not a structured field of the expected type")
        }
    }

    /// Of a member that occurs twice, another parser may take the other one.
    private func dictionary(
        _ value: [UInt8]
    ) throws(MessageSignature.Error) -> StructuredField.Dictionary {
        do throws(MessageSignature.Error) {
            return try MessageSignature.uniqueDictionary(value, name)
        } catch {
            throw .invalidValue(name, "it is no dictionary, or has a member or parameter twice")
        }
    }
}
