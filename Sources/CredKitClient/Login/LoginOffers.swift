// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKit
internal import FoundationEssentials
internal import HTTPTypes

/// What a server says of the ways to log in, before a login.
package struct LoginOffers: Sendable, Hashable {
    /// SCRAM with this hash function, at ``scramPath``; `nil` if it is not offered.
    package var scram: SCRAM.HashFunction?
    /// The path of SCRAM.
    package var scramPath = "/scram"
    /// The authorization servers that the server names, or the server itself if it is one.
    package var issuers: [String] = []
    /// Whether it asks for a token.
    package var bearer = false
    /// Whether it asks for Basic authentication.
    package var basic = false
    /// Whether it has the challenge of the timestamped login.
    package var timestamped = false
    /// Whether it has the form of `credkit-server`.
    package var form = false
    /// The names of schemes that it asks for and CredKit does not have, such as Digest.
    package var unsupported: [String] = []

    package init() {}

    /// Asks a server, by requests without credentials and cookies, none of which leaves its origin.
    ///
    /// The first request is for the server's URL: a challenge in its answer (RFC 9110, section 11.6.1) says it all. Without one,
    /// the places are asked where SCRAM, an authorization server (RFC 8414, RFC 9728) and the logins of `credkit-server` are.
    ///
    /// - Parameters:
    ///   - server: The server's URL.
    ///   - configuration: How to connect.
    ///   - transport: The transport; libcurl if `nil`.
    /// - Returns: The offers.
    /// - Throws: ``ClientError/insecureConnection`` for unencrypted http to another computer; errors of the connection;
    ///   ``ClientError/unexpectedStatus`` and ``ClientError/tooManyAttempts`` for a server that is not available.
    package static func ask(
        _ server: String,
        configuration: LoginSession.Configuration,
        transport: (any HTTPTransport)? = nil
    ) async throws(ClientError) -> Self {
        let inquiry = try LoginInquiry(server, configuration, transport)
        var offers = Self()
        let first = try await inquiry.send(.get, to: inquiry.server)
        // No secret has been sent.
        try LoginVerdict.checkAvailability(first.head, ServerMessage.text(of: first.head, first.body))
        let resources = offers.take(first.head)
        if offers.scram != nil {
            offers.scramPath = "/"
            return offers
        }
        let scram = try await inquiry.send(.post, to: try inquiry.server.appending(path: offers.scramPath))
        var atPath = Self()
        _ = atPath.take(scram.head)
        offers.scram = atPath.scram
        guard offers.scram == nil else { return offers }
        offers.issuers = try await inquiry.issuers(of: resources)
        guard !offers.basic, !offers.bearer, offers.issuers.isEmpty else { return offers }
        let source = LoginProfile.ChallengeSource()
        let challenge = try await inquiry.send(.get, to: try inquiry.server.appending(path: source.path))
        if challenge.head.status == .ok, case .text? = JSONMember.find(source.field, in: challenge.body) {
            offers.timestamped = true
        }
        let path = LoginProfile.form().loginPath
        let form = try await inquiry.send(.get, to: try inquiry.server.appending(path: path))
        offers.form =
            form.head.status == .methodNotAllowed
            && ASCIIText.areEqual(form.head.headerFields[.allow] ?? "", "POST")
        return offers
    }

    /// Takes the challenges of an answer.
    ///
    /// - Returns: The URLs of metadata of the resource that they name.
    private mutating func take(_ head: HTTPResponse) -> [String] {
        var resources: [String] = []
        var mechanisms: Set<SCRAM.Mechanism> = []
        for value in head.headerFields[values: .wwwAuthenticate] {
            // A malformed header says nothing.
            for challenge in (try? SCRAM.AuthenticationHeader.challenges([value])) ?? [] {
                if let mechanism = challenge.mechanism {
                    mechanisms.insert(mechanism.with(channelBinding: false))
                    continue
                }
                let scheme = challenge.scheme ?? ""
                switch ASCIIText.lowercased(scheme) {
                case "basic": basic = true
                case "bearer":
                    bearer = true
                    if let url = challenge["resource_metadata"] { resources.append(url) }
                default:
                    let name = TerminalSafeText.text(scheme, upTo: 40)
                    if unsupported.count < 8, !unsupported.contains(name) { unsupported.append(name) }
                }
            }
        }
        scram = [SCRAM.Mechanism.sha256, .sha512].first { mechanisms.contains($0) }?.hashFunction
        return resources
    }
}

/// The requests by which a client finds out how to log in.
private struct LoginInquiry {
    private struct Resource: Decodable {
        let resource: String
        let authorizationServers: [String]?

        private enum CodingKeys: String, CodingKey {
            case resource
            case authorizationServers = "authorization_servers"
        }
    }

    private struct AuthorizationServer: Decodable {
        let issuer: String
    }

    let server: HTTPURL
    private let runner: RequestRunner
    /// When all requests end: the server decides how many there are.
    private let deadline: ContinuousClock.Instant

    init(
        _ server: String,
        _ configuration: LoginSession.Configuration,
        _ transport: (any HTTPTransport)?
    ) throws(ClientError) {
        var plain = LoginSession.Configuration()
        plain.timeouts = configuration.timeouts
        plain.connection = configuration.connection
        plain.logger = configuration.logger
        plain.allowsInsecureHTTP = configuration.allowsInsecureHTTP
        // The session checks the URL. Its runner keeps no cookies.
        let session = try LoginSession(
            server: server,
            profile: .form(),
            keychain: nil,
            configuration: plain,
            transport: transport
        )
        self.server = session.server
        runner = session.runner
        deadline = runner.deadline
    }

    func send(
        _ method: HTTPRequest.Method,
        to url: HTTPURL
    ) async throws(ClientError) -> FinalResponse<[UInt8]> {
        let request = OutgoingRequest(
            method: method,
            url: url,
            headers: [.cacheControl: "no-store", .userAgent: "CredKit"],
            body: method == .post ? HTTPRequestBody([]) : nil
        )
        return try await runner.run(
            request,
            stops: { [origin = server.origin] in $0.origin != origin },
            deadline: deadline
        )
    }

    /// Returns the authorization servers that the metadata of a resource name (RFC 9728), or the server itself if it publishes
    /// that it is one (RFC 8414, OpenID Connect Discovery). Both are believed only of themselves.
    func issuers(of resources: [String]) async throws(ClientError) -> [String] {
        for text in resources.prefix(2) {
            guard let url = try? HTTPURL(text), url.origin == server.origin,
                let resource = try await read(Resource.self, at: url),
                (try? HTTPURL(resource.resource))?.origin == server.origin
            else { continue }
            let issuers = (resource.authorizationServers ?? []).filter { Self.origin(of: $0) != nil }
            return Array(issuers.prefix(8))
        }
        for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
            let url = try HTTPURL("\(server.origin)\(path)")
            if let found = try await read(AuthorizationServer.self, at: url),
                Self.origin(of: found.issuer) == server.origin
            {
                return [found.issuer]
            }
        }
        return []
    }

    /// Returns the origin of an issuer; `nil` if it is no URL that people can read. The text is kept as it is, because issuers
    /// are compared byte by byte.
    private static func origin(of issuer: String) -> Origin? {
        let isReadable = issuer.utf8.count <= 200 && issuer.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isReadable ? (try? HTTPURL(issuer))?.origin : nil
    }

    /// Returns the JSON at a URL; `nil` if there is none.
    private func read<Value: Decodable>(
        _ type: Value.Type,
        at url: HTTPURL
    ) async throws(ClientError) -> Value? {
        let response = try await send(.get, to: url)
        guard response.head.status == .ok, response.body.count <= LoginExchange.maximumAnswerByteCount else {
            return nil
        }
        return try? JSONDecoder().decode(type, from: Data(response.body))
    }
}
