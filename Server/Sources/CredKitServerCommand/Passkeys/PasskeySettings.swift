// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// The passkeys of a server, and what they are bound to.
struct PasskeySettings: Sendable {
    let relyingParty: WebAuthn.RelyingParty
    let store: any PasskeyStore
    /// Seals links and what was begun.
    let key: SecretBytes
    /// The file of the passkeys of a single server.
    var file: FileArgument?

    /// Where `credkit-server passkeys link` finds the key of a single server.
    var keyFile: LinkKeyFile? { file.map { LinkKeyFile(beside: $0) } }

    /// Returns the mechanism.
    ///
    /// - Parameters:
    ///   - log: Gets what happens to passkeys, without the names of users and passkeys.
    ///   - isAudited: Whether it gets changes with the names of users as well.
    /// - Returns: The mechanism.
    /// - Throws: `LoginServerError`.
    func mechanism(_ log: ServerLog, isAudited: Bool) throws(LoginServerError) -> PasskeyMechanism {
        var configuration = PasskeyConfiguration()
        configuration.onEvent = { event in
            switch event.kind {
            case .counterWentBack, .backupEligibilityChanged:
                log.note(.warning, "passkey", event.description)
            default:
                if isAudited, let user = event.account, let action = Self.auditAction(for: event.kind) {
                    let source = ServerLog.AuditSource.current
                    log.audit(action, user: user, proof: source.proof, client: source.client)
                }
                guard !log.isQuiet else { return }
                log.note(.info, "passkey", event.description)
            }
        }
        return try PasskeyMechanism(relyingParty, store: store, key: key, configuration: configuration)
    }

    /// What an event has changed about an account; `nil` for nothing.
    private static func auditAction(for kind: PasskeyEvent.Kind) -> ServerLog.AuditAction? {
        switch kind {
        case .enrolled: .passkeyAdded
        case .removed: .passkeyRemoved
        case .required: .passkeyRequired
        case .notRequired: .passkeyNotRequired
        default: nil
        }
    }

    /// Lets `credkit-server passkeys link` make links for this server.
    ///
    /// - Parameter log: Gets an error if the key cannot be written. Logins do not need it.
    func publishKey(_ log: ServerLog) {
        guard let file, let keyFile else { return }
        if keyFile.exists, !ServerMocks.exists(file) {
            log.note(
                .warning,
                "passkey",
                "\(file.quotedForMessage): a server has run with this file of passkeys, and there is none: if users had "
                    + "passkeys, restore it. Nobody is asked for one until then"
            )
        }
        do throws(CommandFailure) {
            try keyFile.write(key)
        } catch {
            log.note(.error, "configuration", "no links for passkeys can be made: \(error.message ?? "")")
        }
    }
}
