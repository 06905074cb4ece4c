// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// A message that is signed or verified: what components are taken from.
    public enum Message: Hashable, Sendable {
        /// A request.
        case request(Request)
        /// A response.
        case response(Response)

        /// The field lines, in order.
        public var fields: [Field] {
            switch self {
            case .request(let request): request.fields
            case .response(let response): response.fields
            }
        }
    }

    /// A line of a header section.
    public struct Field: Hashable, Sendable {
        /// The name, in any case.
        public var name: String
        /// The value as it was received, or will be sent.
        public var value: [UInt8]

        /// Creates a line.
        ///
        /// - Parameters:
        ///   - name: The name, in any case.
        ///   - value: The bytes of the value.
        public init(_ name: String, _ value: [UInt8]) {
            self.name = name
            self.value = value
        }

        /// Creates a line.
        ///
        /// - Parameters:
        ///   - name: The name, in any case.
        ///   - value: The value, whose UTF-8 is sent.
        public init(_ name: String, _ value: some StringProtocol) { self.init(name, Array(value.utf8)) }
    }

    /// The head of a request.
    public struct Request: Hashable, Sendable {
        /// The method, such as `GET`.
        public var method: String
        /// The scheme, `http` or `https`.
        public var scheme: String
        /// The host, with the port if the URL or the field `Host` has one.
        public var authority: String
        /// The path as it is in the URL, without the query; empty if the URL has none.
        public var path: String
        /// The query as it is in the URL, without the question mark; `nil` if the URL has none.
        public var query: String?
        /// The target of the request line, if it is not path and query: of a request to a proxy, or `*`. That of `CONNECT` is
        /// the authority.
        public var target: String?
        /// The field lines, in order.
        public var fields: [Field]

        /// Creates a request.
        ///
        /// - Parameters:
        ///   - method: The method, such as `GET`.
        ///   - scheme: The scheme, `http` or `https`.
        ///   - authority: The host, with the port if the URL or the field `Host` has one.
        ///   - path: The path as it is in the URL, without the query; empty if the URL has none.
        ///   - query: The query as it is in the URL, without the question mark; `nil` if the URL has none.
        ///   - target: The target of the request line, if it is not path and query.
        ///   - fields: The field lines, in order.
        public init(
            method: String,
            scheme: String = "https",
            authority: String,
            path: String,
            query: String? = nil,
            target: String? = nil,
            fields: [Field] = []
        ) {
            self.method = method
            self.scheme = scheme
            self.authority = authority
            self.path = path
            self.query = query
            self.target = target
            self.fields = fields
        }
    }

    /// The head of a response.
    ///
    /// The signature of a response does not say which request it answers, unless it covers components of that request:
    /// without them, a response to one request can be sent as that to another. Cover the request's signature, or at least
    /// its method and URL, with ``Component/ofRequest``.
    public struct Response: Hashable, Sendable {
        /// The status code, such as 200.
        public var status: Int
        /// The field lines, in order.
        public var fields: [Field]
        /// The request that was answered, for components with the parameter `req`. A client sets its own request here, and not
        /// what the server says of it. It has no effect on signatures that cover no such component.
        public var request: Request?

        /// Creates a response.
        ///
        /// - Parameters:
        ///   - status: The status code, such as 200.
        ///   - fields: The field lines, in order.
        ///   - request: The request that was answered, for components with the parameter `req`.
        public init(status: Int, fields: [Field] = [], request: Request? = nil) {
            self.status = status
            self.fields = fields
            self.request = request
        }
    }
}
