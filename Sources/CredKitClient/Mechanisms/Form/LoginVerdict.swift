// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The meaning of a login response: success, explicit rejection, or an error that says nothing about the
/// password.
struct LoginVerdict: Sendable {
    let profile: LoginProfile

    /// Returns on success, throws ``ClientError/invalidCredentials`` on rejection, and another error otherwise.
    func check(_ response: FinalResponse<[UInt8]>) throws(ClientError) {
        let status = response.head.status.code
        if case .status(status) = profile.success { return }
        try Self.checkAvailability(response.head)
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
            throw .unexpectedStatus(status, "the server responded to the login with status \(status)")
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
            throw Self.refusal(code: code, text: text, status: status)
        case .status(let wanted):
            throw .unexpectedStatus(
                status,
                "the server responded to the login with status \(status) instead of \(wanted)"
            )
        }
    }

    /// Returns the error for a failure code in the envelope.
    private static func refusal(code: Int, text: String, status: Int) -> ClientError {
        let (kind, message): (ClientError.Code, String) =
            switch code {
            case 429: (.tooManyAttempts, "too many login attempts (code \(code))")
            case 500...599: (.serverError, "the server failed (code \(code))")
            default: (.invalidCredentials, "the server rejected the user name or password (code \(code))")
            }
        // The description of a server error contains the server's message, which may repeat the password.
        let isShown = kind == .serverError
        return ClientError(
            kind,
            message: message,
            statusCode: status,
            serverCode: code,
            serverMessage: text.isEmpty || isShown ? nil : text
        )
    }

    /// Throws if the server limits requests or has failed.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - body: The body, for the server's message; `nil` if the request had a secret, which the message may repeat.
    /// - Throws: ``ClientError/tooManyAttempts``, ``ClientError/unexpectedStatus``.
    static func checkAvailability(_ head: HTTPResponse, _ body: [UInt8]? = nil) throws(ClientError) {
        let status = head.status.code
        let retryAfter = head.retryAfter
        if status == 429 {
            throw ClientError(
                .tooManyAttempts,
                message: "too many login attempts (status \(status))",
                statusCode: status,
                retryAfter: retryAfter
            )
        }
        if status >= 500 {
            throw ClientError(
                .unexpectedStatus,
                message: "the server failed (status \(status))",
                statusCode: status,
                serverMessage: body.flatMap { ServerMessage.text(of: head, $0) },
                retryAfter: retryAfter
            )
        }
    }
}
