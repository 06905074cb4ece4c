// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal
import HTTPTypes
import Hummingbird

extension LoginServer: HTTPResponder {
    typealias Context = ServerContext

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let presence = ClientPresence.current ?? ClientPresence(of: context.channel)
        await presence.beginRequest()
        // Neither limited nor logged: probes come all the time.
        if let answer = await health.answer(to: request.method, request.uri.path) {
            return answer.response(to: request, on: context.channel, isLast: health.phase == .draining)
        }
        let start = ContinuousClock.now
        var context = context
        context.origin = settings.proxies.origin(peer: context.peer, request.headers)
        let id = RequestIdentifier.of(request.headers, isTrusted: context.origin.isForwarded)
        metrics.requestBegan()
        var answer: ServerAnswer
        do {
            answer =
                try await presence.answer { [context] in
                    let source = ServerLog.AuditSource(client: context.origin.address, proof: .recentLogin)
                    return try await ServerLog.AuditSource.$current.withValue(source) {
                        try await EngineBudget.with(Self.engineLimit) {
                            try await self.answer(to: request, context)
                        }
                    }
                } ?? Self.late
        } catch {
            answer = presence.isGone ? .empty(Self.clientHasGone) : Self.refusal(logged(error))
        }
        let duration = ContinuousClock.now - start
        metrics.requestEnded(Self.endpoint(of: request), status: answer.status.code, duration: duration)
        if answer.isLogged {
            settings.log.note(
                LoggedRequest(
                    id: id,
                    address: context.origin.address,
                    method: request.method.rawValue,
                    path: request.uri.path,
                    status: answer.status.code,
                    duration: duration,
                    login: answer.login
                )
            )
        }
        answer.headers[.requestID] = id
        answer.writeCookies(isEncrypted: settings.hasTLS || context.origin.isEncrypted)
        return answer.response(to: request, on: context.channel, isLast: health.phase == .draining)
    }

    /// How long a request may wait for the engine of a shared state.
    private static let engineLimit = Duration.milliseconds(300)

    /// What the log says of a request whose client did not wait for the answer. nginx has the same status for it.
    private static let clientHasGone = HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")

    /// The answer to a request on which the server has worked for too long.
    private static var late: ServerAnswer {
        var answer = ServerAnswer.refusal(.serviceUnavailable, "the server is too busy")
            .retrying(after: .seconds(5))
        answer.closes = true
        return answer
    }

    /// Logs what is wrong with the file of passkeys, or with one of codes.
    ///
    /// - Parameter error: Why a request failed.
    /// - Returns: The error for the client, which does not get the path of the file.
    func logged(_ error: any Error) -> any Error {
        if let failure = error as? CommandFailure {
            settings.log.note(.error, "account", "a change of a user failed: \(failure.message ?? "")")
            return failure
        }
        // A single server has no other store that fails.
        guard settings.passkeys?.keyFile != nil, let failure = error as? LoginServerError,
            failure.code == .storeFailed
        else { return error }
        settings.log.note(.error, "passkey", failure.description)
        return LoginServerError(.storeFailed, message: "the store of passkeys failed")
    }

    private static func refusal(_ error: any Error) -> ServerAnswer {
        if error is SharedStateError {
            return .refusal(.serviceUnavailable, "the users cannot be read").retrying(after: .seconds(5))
        }
        guard let error = error as? LoginServerError, error != .cancelled else {
            return .refusal(.internalServerError, "the request failed")
        }
        return .refusal(.serviceUnavailable, error.description).retrying(after: .seconds(5))
    }

    /// Returns the path without `/api`, with which the base URL of clients of the timestamped login may end.
    static func interface(of request: Request) -> String {
        let path = request.uri.path
        return path.hasPrefix("/api/") ? String(path.dropFirst(4)) : path
    }

    /// Returns the path of an endpoint; `nil` for any other path.
    private static func endpoint(of request: Request) -> String? {
        let interface = interface(of: request)
        return endpoints.contains(interface) ? interface : nil
    }

    private static let endpoints: Set = [
        "/", "/hmackey.php", "/loginhmac.php", "/login.php", "/scram", "/scram-verifier", "/logout.php",
        "/auth/session", "/auth/check", "/auth/forward", "/auth/login", "/auth/logout",
        "/auth/passkey", "/auth/passkey/options", "/auth/second", "/auth/second/options", "/auth/passkeys",
        "/auth/passkeys/link", "/auth/passkeys/options", "/auth/passkeys/rename", "/auth/passkeys/remove",
        "/auth/passkeys/required",
        "/auth/account", "/auth/password", "/auth/sessions", "/auth/codes", "/auth/link",
    ]
}

extension HTTPField.Name {
    static let requestID = Self("x-request-id") ?? .from
}

/// The identifier of a request, by which the lines of several servers are found.
enum RequestIdentifier {
    /// Returns the identifier that a trusted proxy has given to a request, otherwise a new one.
    ///
    /// - Parameters:
    ///   - headers: The headers of the request. An identifier has 1 to 128 letters, digits or characters of `.-_`.
    ///   - isTrusted: Whether a trusted proxy has sent them.
    /// - Returns: The identifier.
    static func of(_ headers: HTTPFields, isTrusted: Bool) -> String {
        let given = headers[values: .requestID]
        if isTrusted, given.count == 1, isWellFormed(given[0]) { return given[0] }
        var generator = SystemRandomNumberGenerator()
        let digits = [generator.next() as UInt64, generator.next()].map { number in
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }
        return digits.joined()
    }

    private static func isWellFormed(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122: true
                default: ".-_".utf8.contains(byte)
                }
            }
    }
}
