// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// The meaning of a login response: success, explicit rejection, or an error that says nothing about the
/// password.
struct LoginVerdict: Sendable {
    let profile: LoginProfile
    /// What was sent. A message that repeats a part of it is not shown, and none is if this is `nil`.
    var secrets: [SecretBytes]?

    /// Returns on success, throws ``ClientError/invalidCredentials`` on rejection, and another error otherwise.
    func check(_ response: FinalResponse<[UInt8]>) throws(ClientError) {
        let status = response.head.status.code
        if case .status(status) = profile.success { return }
        let isFailure = !(200...299).contains(status)
        let message = isFailure ? shown(ServerMessage.text(of: response.head, response.body)) : nil
        try Self.checkAvailability(response.head, message)
        if status == 401 || status == 403 {
            throw ClientError(
                .invalidCredentials,
                message: "the server rejected the user name or password (status \(status))",
                statusCode: status
            )
        }
        guard response.outcome.stoppedAt == nil else {
            throw .redirectRefused(
                "the server responded to the login with a redirect, which is not followed (if it means success, "
                    + "put \"success\": {\"status\": \(status)} into the login profile)",
                status: status
            )
        }
        guard (200...299).contains(status) else {
            throw .unexpectedStatus(
                status,
                "the server responded to the login with status \(status)",
                serverMessage: message
            )
        }
        switch profile.success {
        case .field(let name, let bound):
            guard let member = JSONMember.find(name, in: response.body), member != .missing, member != .other
            else {
                throw .malformedResponse(
                    "cannot tell whether the login succeeded: the response has no number in a member '\(name)'",
                    status: status
                )
            }
            guard let number = member.number, number > Double(bound) else {
                throw ClientError(
                    .invalidCredentials,
                    message: "the server rejected the user name or password",
                    statusCode: status
                )
            }
        case .envelope(let envelope):
            guard let (code, text) = envelope.outcome(of: response.body) else {
                throw .malformedResponse("the response to the login contains no code", status: status)
            }
            if envelope.successCodes.contains(code) { return }
            throw refusal(code: code, text: text, status: status)
        case .status(let wanted):
            throw .unexpectedStatus(
                status,
                "the server responded to the login with status \(status) instead of \(wanted)"
            )
        }
    }

    /// Returns the error for a failure code in the envelope.
    private func refusal(code: Int, text: String, status: Int) -> ClientError {
        let (kind, message): (ClientError.Code, String) =
            switch code {
            case 429: (.tooManyAttempts, "too many login attempts (code \(code))")
            case 500...599: (.serverError, "the server failed (code \(code))")
            default: (.invalidCredentials, "the server rejected the user name or password (code \(code))")
            }
        // The description of a rejection leaves the server's message out.
        return ClientError(
            kind,
            message: message,
            statusCode: status,
            serverCode: code,
            serverMessage: text.isEmpty ? nil : kind == .invalidCredentials ? text : shown(text)
        )
    }

    /// Returns a message that may be shown.
    private func shown(_ text: String?) -> String? {
        guard let text, let secrets else { return nil }
        let start = String(text.unicodeScalars.prefix(1000))
        return secrets.contains { ServerMessage.repeats($0, in: start) } ? nil : start
    }

    /// Throws if the server limits requests or has failed.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - message: The server's message; `nil` if it may repeat a secret of the request.
    /// - Throws: ``ClientError/tooManyAttempts``, ``ClientError/unexpectedStatus``.
    static func checkAvailability(_ head: HTTPResponse, _ message: String? = nil) throws(ClientError) {
        let status = head.status.code
        let retryAfter = head.retryAfter
        if status == 429 {
            throw ClientError(
                .tooManyAttempts,
                message: "too many login attempts (status \(status))",
                statusCode: status,
                serverMessage: message,
                retryAfter: retryAfter
            )
        }
        if status >= 500 {
            throw ClientError(
                .unexpectedStatus,
                message: "the server failed (status \(status))",
                statusCode: status,
                serverMessage: message,
                retryAfter: retryAfter
            )
        }
    }
}
