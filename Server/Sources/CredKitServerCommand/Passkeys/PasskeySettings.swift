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
    /// Where `credkit-server passkeys link` finds the key of a single server.
    var keyFile: PasskeyKeyFile?

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
        guard let keyFile else { return }
        if keyFile.isWithoutPasskeys {
            log.note(
                .warning,
                "passkey",
                "\(keyFile.passkeys.quotedForMessage): a server has run with this file of passkeys, and there is none: if users had "
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

/// The file with the key of the running server, beside the file of its passkeys. Each start replaces it: a server whose stores are
/// in memory could not know which links were used before.
struct PasskeyKeyFile: Sendable {
    /// The file of the passkeys.
    let passkeys: FileArgument
    private let name: FileArgument

    /// Names the file.
    ///
    /// - Parameter passkeys: The file of the passkeys.
    init(beside passkeys: FileArgument) {
        self.passkeys = passkeys
        name = FileArgument(bytes: passkeys.bytes + ".key".utf8)
    }

    /// The name, for messages.
    var quoted: String { name.quotedForMessage }

    /// Whether a server has run, and there are no passkeys: nobody has enrolled one, or the file was lost.
    var isWithoutPasskeys: Bool { ServerMocks.exists(name) && !ServerMocks.exists(passkeys) }

    /// Throws if the file could not be written.
    func checkPlace() throws(CommandFailure) {
        // It has no name, and is gone at once.
        _ = try OutputFile(name, mode: 0o600)
    }

    /// Returns the key; `nil` if there is no file.
    func read() throws -> SecretBytes? {
        guard ServerMocks.exists(name) else { return nil }
        let bytes = try ServerFile.read(name, upTo: PasskeyMechanism.keyByteCount)
        guard bytes.count == PasskeyMechanism.keyByteCount else {
            throw CommandFailure(.malformed, "\(quoted): it is not a key of a server that runs")
        }
        return try SecretBytes(bytes)
    }

    /// Writes the key.
    func write(_ key: SecretBytes) throws(CommandFailure) {
        let output = try OutputFile(name, mode: 0o600)
        try output.write(key.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } })
        try output.commit()
    }
}
