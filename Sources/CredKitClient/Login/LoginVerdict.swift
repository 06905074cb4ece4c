// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// What a response to a login means: success, an explicit rejection, or trouble that says nothing about the password.
struct LoginVerdict: Sendable {
    let profile: LoginProfile

    /// Returns for a success, throws ``LoginError/rejected`` for a rejection, and something else for trouble.
    func check(_ response: FinalResponse<[UInt8]>) throws(LoginError) {
        let status = response.head.status.code
        if case .status(status) = profile.success { return }
        try Self.checkAvailability(response.head)
        if status == 401 || status == 403 {
            throw .rejected("the server rejected user name and password (status \(status))", status: status)
        }
        guard response.stoppedAt == nil else {
            throw .redirectRefused(
                "the server answers the login with a redirect, which is not followed; if that means success, the "
                    + "profile must say so: \"success\": {\"status\": \(status)}",
                status: status
            )
        }
        guard (200...299).contains(status) else {
            throw .status(status, "the server answered the login with status \(status)")
        }
        switch profile.success {
        case .field(let name, let bound):
            guard let member = JSONMember.find(name, in: response.body), member != .missing, member != .other
            else {
                throw .malformedResponse(
                    "the server's answer to the login has no number in a member '\(name)', which would tell whether it succeeded",
                    status: status
                )
            }
            guard let number = member.number, number > Double(bound) else {
                throw .rejected("the server rejected user name and password", status: status)
            }
        case .envelope(let envelope):
            guard let code = envelope.code(of: response.body) else {
                throw .malformedResponse("the server's answer to the login has no code in it", status: status)
            }
            if envelope.successCodes.contains(code) { return }
            if code == 429 { throw .tooManyAttempts("the server wants fewer attempts") }
            if (500...599).contains(code) {
                throw .refused(
                    "the server has trouble of its own (code \(code))",
                    number: code,
                    status: status
                )
            }
            throw .rejected(
                "the server rejected user name and password (code \(code))",
                number: code,
                status: status
            )
        case .status(let wanted):
            throw .status(status, "the server answered the login with status \(status) instead of \(wanted)")
        }
    }

    /// Throws for a server that wants to be left alone, or is in trouble.
    static func checkAvailability(_ head: HTTPResponse) throws(LoginError) {
        let status = head.status.code
        let retryAfter = head.headerFields[.retryAfter].flatMap { UInt32($0) }.map { Int($0) }
        if status == 429 {
            let wait = retryAfter.map { ": try again in \($0) seconds" } ?? ""
            throw .tooManyAttempts(
                "the server wants fewer attempts\(wait)",
                retryAfter: retryAfter,
                status: status
            )
        }
        if status >= 500 {
            throw .status(
                status,
                "the server has trouble of its own (status \(status))",
                retryAfter: retryAfter
            )
        }
    }
}
