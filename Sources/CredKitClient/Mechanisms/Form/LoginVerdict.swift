// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// The meaning of a login response: success, explicit rejection, or an error that says nothing about the
/// password.
struct LoginVerdict: Sendable {
    let profile: LoginProfile
    /// What was sent. A message that repeats a part of it is not shown, and none is if this is `nil`.
    var secrets: [SecretBytes]?
    /// The other values that were sent and log in, such as cookies.
    var values: [String] = []

    /// Returns on success, throws ``ClientError/invalidCredentials`` on rejection, and another error otherwise.
    func check(_ response: FinalResponse<[UInt8]>) throws(ClientError) {
        let status = response.head.status.code
        if case .status(status) = profile.success { return }
        let isFailure = !(200...299).contains(status)
        let message = isFailure ? shown(ServerMessage.text(of: response.head, response.body)) : nil
        try Self.checkAvailability(response.head, message)
        if status == 401 || status == 403 {
            let asksForToken = status == 403 && profile.csrfToken == nil
            throw rejection(
                response,
                asksForToken
                    ? "(status 403, or it expects a value of its login page: \"csrf\" in a login profile)"
                    : "(status \(status))"
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
                "the server responded to the login with status \(status)\(advice(on: status))",
                serverMessage: message
            )
        }
        switch profile.success {
        case .field(let name, let bound):
            guard let member = JSONMember.find(name, in: response.body), member != .missing, member != .other
            else {
                throw .malformedResponse(
                    "cannot tell whether the login succeeded: the response has no number in a member '\(name)'"
                        + "\(JSONMember.namesText(in: response.body)) (\"success\" in a login profile says what means success, "
                        + "such as {\"status\": \(status)})",
                    status: status
                )
            }
            guard let number = member.number, number > Double(bound) else {
                throw rejection(response)
            }
        case .envelope(let envelope):
            guard let (code, text) = envelope.outcome(of: response.body) else {
                throw .malformedResponse(
                    "the response to the login contains no code"
                        + "\(JSONMember.namesText(in: response.body)) (\"success\" in the login profile)",
                    status: status
                )
            }
            if envelope.successCodes.contains(code) { return }
            throw refusal(code: code, text: text, status: status)
        case .status(let wanted):
            // Where success leads to another page, the form is shown again to a user who was rejected.
            if status == 200, (300...399).contains(wanted) {
                throw rejection(response, "(status 200 instead of \(wanted))")
            }
            throw .unexpectedStatus(
                status,
                "the server responded to the login with status \(status) instead of \(wanted)"
            )
        }
    }

    /// Returns the error for a login that the server rejected.
    private func rejection(
        _ response: FinalResponse<[UInt8]>,
        _ reason: String? = nil
    ) -> ClientError {
        let end = reason.map { " \($0)" } ?? ""
        return ClientError(
            .invalidCredentials,
            message: "the server rejected the user name or password\(end)",
            statusCode: response.head.status.code,
            serverMessage: ServerMessage.text(of: response.head, response.body)
        )
    }

    /// Returns what to change in the login profile.
    private func advice(on status: Int) -> String {
        switch status {
        case 404, 405: " (\"loginPath\" in a login profile may be another one)"
        case 400, 415, 422:
            " (the names of the fields, or \"body\": \"json\", in a login profile may be other ones)"
        case 419: " (it expects a value of its login page: \"csrf\" in a login profile)"
        default: ""
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
        secrets.flatMap { Self.shown(text, $0, values) }
    }

    /// The same, after these secrets and other values were sent.
    private static func shown(_ text: String?, _ secrets: [SecretBytes], _ values: [String]) -> String? {
        guard let text else { return nil }
        let start = String(text.unicodeScalars.prefix(1000))
        let isEcho =
            secrets.contains { ServerMessage.repeats($0, in: start) }
            || ServerMessage.repeatsValue(of: values, in: start)
        return isEcho ? nil : start
    }

    /// Throws if the server limits requests or has failed, with its message unless that repeats a part of what was sent.
    ///
    /// - Parameters:
    ///   - answer: The answer, which knows the cookies that were sent.
    ///   - secrets: The secrets that were sent.
    ///   - values: The other values that were sent and log in.
    /// - Throws: ``ClientError/tooManyAttempts``, ``ClientError/unexpectedStatus``.
    static func checkAvailability(
        _ answer: LoginExchange.Answer,
        secrets: [SecretBytes] = [],
        values: [String] = []
    ) throws(ClientError) {
        let message = ServerMessage.text(of: answer.head, answer.body)
        try checkAvailability(answer.head, shown(message, secrets, values + answer.sentCookies))
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
