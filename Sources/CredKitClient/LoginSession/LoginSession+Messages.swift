// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
package import HTTPTypes

extension LoginSession {
    /// How much of a server's message is kept, in Unicode scalars.
    private static let maximumMessageLength = 1000

    /// Returns the beginning of a server's message; `nil` if it repeats the token or a cookie, which the server has got.
    private func shown(_ message: String?) -> String? {
        guard let message else { return nil }
        let start = String(message.unicodeScalars.prefix(Self.maximumMessageLength))
        let (token, jar) = state.withLock { ($0.token, $0.jar) }
        let isEcho =
            token.map { ServerMessage.repeats($0, in: start) } ?? false
            || ServerMessage.repeatsValue(of: jar.cookies.map(\.value), in: start)
        return isEcho ? nil : start
    }

    /// Returns the error of a response, whose message of the server repeats neither the token nor a cookie.
    func withoutCredentials(_ error: ClientError) -> ClientError {
        guard error.serverMessage != nil else { return error }
        return ClientError(
            error.code,
            message: error.message,
            underlying: error.underlying,
            statusCode: error.statusCode,
            serverCode: error.serverCode,
            serverMessage: shown(error.serverMessage),
            retryAfter: error.retryAfter
        )
    }

    /// Returns what a message about a response of this session ends with: what the server says, unless it repeats the token
    /// or a cookie, and how long to wait.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - body: The body; `nil` if it is unknown, or shown anyway.
    /// - Returns: Text that is safe for a terminal, empty if there is nothing to say.
    package func messageEnding(of head: HTTPResponse, _ body: [UInt8]?) -> String {
        let text = body.flatMap { ServerMessage.text(of: head, $0) }
        return ServerMessage.ending(shown(text), retryAfter: head.retryAfter)
    }
}
