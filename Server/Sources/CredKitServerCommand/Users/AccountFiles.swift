// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal
import NIOPosix

/// The files that a server with `--account-changes`, or a command for its users, writes; `nil` for those that it does not have or cannot write.
struct AccountFiles: Sendable {
    var users: UsersFile?
    var codes: OneTimeCodesFile?
    var recoveryCodes: RecoveryCodesFile?
    var log = ServerLog()

    /// No files.
    init() {}

    /// Finds out which files can be written, and tells which cannot.
    ///
    /// - Parameters:
    ///   - command: The options.
    ///   - warns: Whether to tell also what no change of a file would permit.
    init(_ command: CredKitServerCommand, warns: Bool) {
        log = command.log
        if let file = command.users, canWrite(file, "passwords") { users = UsersFile(name: file) }
        guard let file = command.otpFile else { return }
        guard !command.state.isShared else {
            if warns {
                log.note(
                    .warning,
                    "configuration",
                    "users cannot change their one-time codes: several servers do not share \(file.quotedForMessage)"
                )
            }
            return
        }
        guard canWrite(file, "one-time codes") else { return }
        codes = OneTimeCodesFile(name: file)
        if let file = command.accountOptions.recoveryCodes, canWrite(file, "recovery codes") {
            recoveryCodes = RecoveryCodesFile(name: file)
        }
    }

    private func canWrite(_ file: FileArgument, _ content: String) -> Bool {
        do throws(CommandFailure) {
            guard file.descriptor == nil else {
                throw CommandFailure(.usage, "\(file.quotedForMessage) has no name")
            }
            try LockedFile(name: file).checkPlace()
            return true
        } catch {
            log.note(
                .warning,
                "configuration",
                "users cannot change their \(content), since the file cannot be replaced: \(error.message ?? "")"
            )
            return false
        }
    }

    /// Calls what blocks for a moment, on a thread for it. It goes on if the client has gone.
    static func blocking<Value: Sendable>(
        on pool: NIOThreadPool = .singleton,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await Task { try await pool.runIfActive(body) }.value
    }

    /// The failure to write what is not to be written.
    static func readOnly(_ content: String) -> CommandFailure {
        CommandFailure(.refused, "this server does not change \(content)")
    }
}

/// Recovery codes.
extension AccountFiles {
    func setRecoveryKeys(
        _ keys: [StoreKey],
        with revision: StoreKey?,
        ofAccountNamed name: String
    ) async throws -> Bool {
        guard let recoveryCodes else { throw Self.readOnly("recovery codes") }
        guard let revision else { return false }
        try await Self.blocking { try recoveryCodes.set(keys, with: revision, ofUserNamed: name) }
        return true
    }

    func recoveryKeyCount(with revision: StoreKey?, ofAccountNamed name: String) async throws -> Int {
        guard let recoveryCodes, let revision else { return 0 }
        return try await Self.blocking { try recoveryCodes.count(with: revision, ofUserNamed: name) }
    }

    func consumeRecoveryCode(
        _ key: StoreKey,
        with revision: StoreKey?,
        ofAccountNamed name: String
    ) async throws -> Bool {
        guard let recoveryCodes, let revision else { return false }
        let isConsumed = try await Self.blocking {
            try recoveryCodes.consume(key, with: revision, ofUserNamed: name)
        }
        if isConsumed {
            let client = ServerLog.AuditSource.current.client
            log.audit(.recoveryCodeUsed, user: name, proof: .code, client: client)
        }
        return isConsumed
    }
}
