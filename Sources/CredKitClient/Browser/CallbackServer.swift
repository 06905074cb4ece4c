// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Receives the answer of an authorization server, which the browser brings to a loopback address of this computer
/// ([RFC 8252](https://www.rfc-editor.org/rfc/rfc8252), section 7.3), and tells the browser how the login ended.
///
/// It takes connections of this user and of root alone. Of these, only a top-level `GET` of the exact path, or a posted form
/// if it was asked for, with the exact `Host`, is shown to the login, which judges by the `state`.
final class CallbackServer: Sendable {
    /// The URL to send to the authorization server, with the port.
    let redirectURL: String
    /// The port.
    let port: UInt16
    private let loop: CallbackLoop

    private init(_ loop: CallbackLoop, redirectURL: String, port: UInt16) {
        (self.loop, self.redirectURL, self.port) = (loop, redirectURL, port)
    }

    // A browser that still waits gets the page of a failure.
    deinit { loop.finish(.failed) }

    /// Begins to listen. Requests wait for ``answer(within:judging:notify:)``.
    ///
    /// - Parameters:
    ///   - redirect: Where.
    ///   - acceptsForms: Whether the answer may be a form that is posted (`response_mode=form_post`).
    ///   - limits: How much it bears.
    /// - Returns: The server.
    /// - Throws: ``ClientError/browserUnavailable`` if the port is taken, or the address does not exist.
    static func start(
        _ redirect: LoopbackRedirect,
        acceptsForms: Bool,
        limits: CallbackLimits = CallbackLimits()
    ) throws(ClientError) -> CallbackServer {
        let listener: LoopbackListener
        do throws(SystemError) {
            let operation = "cannot wait for the browser at \(redirect)"
            listener = try LoopbackListener(redirect.listeningHost, port: redirect.port ?? 0, operation)
        } catch {
            throw .browserUnavailable(error.description)
        }
        let origin = redirect.origin(port: listener.port, hasIPv4: listener.hasIPv4)
        let rules = CallbackRules(
            origin: origin,
            path: redirect.path,
            acceptsForms: acceptsForms
        )
        return CallbackServer(
            CallbackLoop(listener, rules, limits),
            redirectURL: redirect.url(at: origin),
            port: listener.port
        )
    }

    /// Waits for the answer that the login accepts. The browser waits from then on for ``finish(_:)``.
    ///
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - judge: Judges a request. It is called on the thread of the connections, and must not take long.
    ///   - notify: Called with what the user should know, once for each; it must not take long either.
    /// - Returns: The names and values of the accepted request's parameters.
    /// - Throws: ``ClientError/loginAbandoned`` if no answer came in time, or too many were rejected;
    ///   ``ClientError/cancelled``. The server is closed then.
    func answer(
        within limit: Duration,
        judging judge: @escaping @Sendable (CallbackRequest) -> CallbackVerdict,
        notify: @escaping @Sendable (CallbackNotice) -> Void = { _ in }
    ) async throws(ClientError) -> [(String, String)] {
        do throws(ClientError) {
            try loop.start(within: limit, judging: judge, notify: notify)
            return try await loop.answer.value(orThrow: .cancelled)
        } catch {
            await finish(.failed)
            throw error
        }
    }

    /// Tells the browser how the login ended, and closes the server. Only the first call counts. The task's cancellation has no
    /// effect.
    ///
    /// - Parameter ending: How it ended.
    func finish(_ ending: CallbackEnding) async {
        loop.finish(ending)
        _ = await loop.end.result()
    }
}
