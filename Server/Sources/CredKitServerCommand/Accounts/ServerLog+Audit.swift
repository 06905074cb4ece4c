// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import Glibc

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
        case passkeyAdded
        /// One, or all.
        case passkeyRemoved
        case passkeyRenamed
        case passkeyRequired
        case passkeyNotRequired
        case userAdded
        case userRemoved
        /// An operator has made a link for a new user.
        case invitationMade
        /// An operator has made a link for a new password.
        case resetMade
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
        /// Nothing: it was a command on the machine of the server.
        case `operator`
    }

    /// Who asks for what a task does: a client whose request it is, otherwise an operator.
    struct AuditSource: Sendable {
        /// The address of the client.
        var client: String?
        /// What permits changes of passkeys.
        var proof: AuditProof

        @TaskLocal static var current: AuditSource = AuditSource(client: nil, proof: .operator)
    }

    /// The login name of the person who runs this command, also under sudo; or the number, if it has no name.
    private static var operatorName: String {
        let id = loginID ?? getuid()
        guard let entry = getpwuid(id) else { return "\(id)" }
        return String(cString: entry.pointee.pw_name)
    }

    /// The user of the login that this process belongs to; `nil` if it belongs to none.
    private static var loginID: uid_t? {
        let file = open("/proc/self/loginuid", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(file, &bytes, bytes.count)
        let digits = bytes.prefix(max(count, 0)).prefix { (48...57).contains($0) }
        return uid_t(String(decoding: digits, as: UTF8.self)).flatMap { $0 == .max ? nil : $0 }
    }

    private struct AuditLine: Encodable {
        let time = LogTime.now
        let level = Level.info
        let event = "account"
        let action: AuditAction
        let user: String
        let proof: AuditProof
        let client: String?
        /// Who has run the command.
        let `operator`: String?

        private enum CodingKeys: CodingKey {
            case time, level, event, action, user, proof, client, `operator`
        }
    }

    /// Logs a change of an account, also if requests are not logged.
    ///
    /// - Parameters:
    ///   - action: What was changed.
    ///   - user: The name of the account in the table, and never what a client has typed.
    ///   - proof: Why it was permitted.
    ///   - client: The address of the client; `nil` if it is not known.
    func audit(_ action: AuditAction, user: String, proof: AuditProof, client: String?) {
        let person = proof == .operator ? Self.operatorName : nil
        show(AuditLine(action: action, user: user, proof: proof, client: client, operator: person))
    }
}
