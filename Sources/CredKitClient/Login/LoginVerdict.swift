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
            throw .invalidCredentials(
                "the server rejected the user name or password (status \(status))",
                status: status
            )
        }
        guard response.stoppedAt == nil else {
            throw .redirectRefused(
                "the server responded to the login with a redirect, which is not followed (if it means success, "
                    + "put \"success\": {\"status\": \(status)} into the login profile)",
                status: status
            )
        }
        guard (200...299).contains(status) else {
            throw .status(status, "the server responded to the login with status \(status)")
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
                throw .invalidCredentials("the server rejected the user name or password", status: status)
            }
        case .envelope(let envelope):
            guard let code = envelope.code(of: response.body) else {
                throw .malformedResponse("the response to the login contains no code", status: status)
            }
            if envelope.successCodes.contains(code) { return }
            if code == 429 { throw .tooManyAttempts("too many login attempts (code \(code))") }
            if (500...599).contains(code) {
                throw .serverError(
                    "the server failed (code \(code))",
                    number: code,
                    status: status
                )
            }
            throw .invalidCredentials(
                "the server rejected the user name or password (code \(code))",
                number: code,
                status: status
            )
        case .status(let wanted):
            throw .status(
                status,
                "the server responded to the login with status \(status) instead of \(wanted)"
            )
        }
    }

    /// Throws if the server limits requests or has failed.
    static func checkAvailability(_ head: HTTPResponse) throws(ClientError) {
        let status = head.status.code
        let retryAfter = head.headerFields[.retryAfter].flatMap { UInt32($0) }.map { Int($0) }
        if status == 429 {
            let wait = retryAfter.map { ": retry in \($0) seconds" } ?? ""
            throw .tooManyAttempts(
                "too many login attempts (status \(status))\(wait)",
                retryAfter: retryAfter,
                status: status
            )
        }
        if status >= 500 {
            throw .status(
                status,
                "the server failed (status \(status))",
                retryAfter: retryAfter
            )
        }
    }
}
