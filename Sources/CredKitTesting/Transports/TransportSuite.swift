// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
public import CredKitClient
internal import HTTPTypes

/// The behavior that every `HTTPTransport` must have.
///
/// Run it in any test framework:
///
/// ```swift
/// func testTransportPassesTheSuite() async throws {
///     try await TransportSuite { MyTransport() }.run()
/// }
/// ```
///
/// The suite starts an HTTP/1.1 server on 127.0.0.1 and sends it requests. It tests that requests and responses arrive
/// unchanged, also streamed, large and many at once; that a transport follows no redirect, stores no cookie and adds no
/// credentials; and that deadlines, cancellation, and connections that end early are reported as the protocol requires.
public struct TransportSuite: Sendable {
    /// How long each part of the suite may take; a minute by default.
    public var timeLimit = Duration.seconds(60)

    /// Starts a server that records its requests, and returns how to reach it and how to stop it.
    let startPeer: @Sendable (RequestLog) async throws -> Peer

    /// A server, and a transport that reaches it.
    struct Peer: Sendable {
        var authority: String
        var transport: any HTTPTransport
        var stop: @Sendable () -> Void
    }

    /// Creates a suite.
    ///
    /// - Parameter makeTransport: Returns a transport that sends requests over the network. It is called once for each
    ///   part of the suite.
    public init(_ makeTransport: @escaping @Sendable () async throws -> any HTTPTransport) {
        startPeer = { log in
            let transport = try await makeTransport()
            let server = try LoopbackServer(log: log)
            return Peer(authority: "127.0.0.1:\(server.port)", transport: transport, stop: { server.stop() })
        }
    }

    /// Creates a suite for a transport that answers requests itself.
    ///
    /// - Parameter wrap: Returns a transport that uses the scripted one.
    package init(scripted wrap: @escaping @Sendable (ScriptedTransport) -> any HTTPTransport) {
        startPeer = { log in
            let transport = ScriptedTransport { request in
                let request = PeerRequest(request)
                log.add(request)
                return ScriptedTransport.Answer(PeerAnswer(to: request))
            }
            return Peer(authority: "127.0.0.1:1", transport: wrap(transport), stop: {})
        }
    }

    /// Runs the whole suite.
    ///
    /// - Throws: ``SuiteFailure`` with all failures.
    public func run() async throws {
        let parts: [(String, @Sendable (SuiteClient) async throws -> Void)] = [
            ("requests arrive unchanged", sendsRequests),
            ("streamed bodies arrive unchanged", sendsStreams),
            ("responses arrive unchanged", receivesResponses),
            ("large bodies arrive unchanged", receivesLargeBodies),
            ("redirects are not followed", followsNoRedirects),
            ("cookies are not stored", storesNoCookies),
            ("connections that end early are reported", reportsEarlyEnds),
            ("the deadline is enforced", enforcesDeadlines),
            ("cancelled requests end", endsCancelledRequests),
            ("errors of request streams are reported", reportsStreamErrors),
            ("many requests are sent at once", servesManyTasks),
        ]
        try await SuiteRunner(timeLimit: timeLimit).run(
            parts.map { name, body in
                (
                    name,
                    {
                        let log = RequestLog()
                        let peer = try await startPeer(log)
                        defer { peer.stop() }
                        try await body(SuiteClient(peer: peer, log: log))
                    }
                )
            }
        )
    }
}

extension PeerRequest {
    init(_ request: ScriptedTransport.Request) {
        let fields = request.head.headerFields.map { ($0.name.canonicalName, $0.value) }
        let target = request.head.path ?? "/"
        self.init(method: request.head.method.rawValue, target: target, fields: fields, body: request.body)
    }
}

extension ScriptedTransport.Answer {
    init(_ answer: PeerAnswer) {
        switch answer {
        case .response(let status, let fields, let body):
            var answer = Self.response(.init(code: status), body: HTTPResponseBody(body))
            for (name, value) in fields { answer = answer.addingHeader(name, value) }
            self = answer
        case .noResponse: self = .failure(.noResponse)
        case .silence: self = .never
        case .partOfBody(let part, let ends):
            let body = HTTPResponseBody {
                var rest: [UInt8]? = part
                return .init {
                    defer { rest = nil }
                    if let rest { return rest }
                    if ends { throw ClientError.noResponse }
                    while true { try await Task.sleep(for: .seconds(3600)) }
                }
            }
            self = .response(.ok, body: body)
        }
    }
}
#endif
