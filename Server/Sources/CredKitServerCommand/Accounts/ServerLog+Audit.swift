// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

// What was changed about an account: a JSON object on a line, in either form of the log. It has no secrets.
extension ServerLog {
    /// What was changed.
    enum AuditAction: String, Sendable, Encodable {
        /// A user has changed the password.
        case passwordChanged
        /// A password was set by an invitation or a link for a new password.
        case passwordSet
        /// Someone with a session of the user has given a wrong password or code.
        case wrongPassword
        case sessionEnded
        /// All sessions of a user, or all others.
        case sessionsEnded
        case codeSet
        case codeRemoved
        case recoveryCodesMade
        case recoveryCodeUsed
    }

    /// Why it was permitted.
    enum AuditProof: String, Sendable, Encodable {
        /// The password, with the request.
        case password
        /// A login of the last minutes.
        case recentLogin
        /// A one-time code or a recovery code.
        case code
        /// An invitation or a link for a new password.
        case link
        /// A session alone.
        case session
    }

    private struct AuditLine: Encodable {
        let time = LogTime.now
        let level = Level.info
        let event = "account"
        let action: AuditAction
        let user: String
        let proof: AuditProof
        let client: String?

        private enum CodingKeys: CodingKey { case time, level, event, action, user, proof, client }
    }

    /// Logs a change of an account, also if requests are not logged.
    ///
    /// - Parameters:
    ///   - action: What was changed.
    ///   - user: The name of the account in the table, and never what a client has typed.
    ///   - proof: Why it was permitted.
    ///   - client: The address of the client; `nil` if it is not known.
    func audit(_ action: AuditAction, user: String, proof: AuditProof, client: String?) {
        show(AuditLine(action: action, user: user, proof: proof, client: client))
    }
}
