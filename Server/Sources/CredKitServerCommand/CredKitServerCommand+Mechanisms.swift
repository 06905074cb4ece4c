// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitServer
import CredKitTerminal

// The ways to log in, from the command line and the users file.
extension CredKitServerCommand {
    /// The given options that have no meaning without SCRAM.
    var optionsOfSCRAM: [String] {
        [
            ("--require-channel-binding", requireChannelBinding), ("--mock-key-file", mockKeyFile != nil),
            ("--mixed-verifiers", mixedVerifiers), ("--replace-verifiers", replaceVerifiers),
        ]
        .filter(\.1).map(\.0)
    }

    /// Throws if hashes cannot be replaced as `--replace-hashes` asks for.
    func checkReplacing() throws {
        guard replaceHashes else { return }
        guard mechanism.isEmpty || mechanism.contains(.form) || !page.site.isEmpty else {
            throw ValidationError("--replace-hashes requires --mechanism form or --site.")
        }
        guard let users else { return }
        guard users.descriptor == nil else {
            throw ValidationError("--replace-hashes requires a users file that has a name.")
        }
        // Another server would read the file again, and end the sessions of the user.
        guard !state.isShared else {
            throw ValidationError(
                "--replace-hashes of several servers requires a table of PostgreSQL: give --users-database in place of --users."
            )
        }
    }

    /// Returns the mechanisms of the command line with the page of `--site`, or the one that suits the users file: SCRAM if a
    /// user has a verifier of SCRAM-SHA-256, otherwise the form. The timestamped login is legacy and must be asked for.
    ///
    /// A form beside SCRAM is left out unless it is asked for: the password is the better kept the fewer servers and proxies see
    /// it, and a wrong one would wait for as long as a verifier takes.
    ///
    /// - Parameters:
    ///   - users: The users file; `nil` for a table, whose mechanisms must be given.
    ///   - log: Gets warnings.
    /// - Returns: The mechanisms.
    /// - Throws: ``CommandFailure`` if no user could log in.
    func mechanisms(
        for users: ServerUsers?,
        _ log: ServerLog?
    ) throws(CommandFailure) -> Set<ServerMechanism> {
        func warn(_ message: String) { log?.note(.warning, "configuration", message) }
        var chosen = Set(mechanism)
        if !page.site.isEmpty { chosen.insert(.page) }
        if passkeyOptions.areGiven { chosen.insert(.passkey) }
        guard let users else { return chosen }
        if chosen.isEmpty { chosen = try suitable(for: users) }
        guard !replaceHashes || !chosen.isDisjoint(with: [.form, .page]) else {
            throw CommandFailure(.malformed, "--replace-hashes requires --mechanism form for these users")
        }
        let unnamed = page.site.isEmpty ? 0 : users.names.count { !LoginServer.canBeNamed($0) }
        if unnamed > 0 {
            warn(
                "\(unnamed) of \(users.count) users cannot use the sites: their names have characters other than printable ASCII"
            )
        }
        // A user who was invited has no password yet.
        let unable = users.credentials.filter {
            !canLogIn($0, by: chosen) && !(accountOptions.accountChanges && $0 == .unusable)
        }
        guard !unable.isEmpty else { return chosen }
        let names = chosen.subtracting([.passkey]).map(\.rawValue).sorted().joined(separator: " or ")
        var message = "\(unable.count) of \(users.count) users cannot log in by \(names)"
        let equivalents = unable.count { $0.passwordEquivalent != nil }
        if equivalents > 0 {
            message +=
                "; \(equivalents) can by --mechanism timestamp, or by form if a key phrase is given (--key-phrase-file)"
        }
        let peppered = unable.count { Self.isPeppered($0) }
        if peppered > 0 {
            message +=
                "; \(peppered) have hashes that were made with a pepper, which this server cannot have: give these users new passwords"
        }
        guard unable.count < users.count else {
            throw CommandFailure(.malformed, "\(self.users?.quotedForMessage ?? "--users"): \(message)")
        }
        warn(message)
        return chosen
    }

    private func suitable(for users: ServerUsers) throws(CommandFailure) -> Set<ServerMechanism> {
        guard !users.verifierFunctions.contains(.sha256) else { return [.scram] }
        if let option = optionsOfSCRAM.first {
            throw CommandFailure(
                .malformed,
                "\(self.users?.quotedForMessage ?? "--users"): there is no verifier of SCRAM-SHA-256 in it, which \(option) requires "
                    + "unless --mechanism scram is given"
            )
        }
        guard users.verifierFunctions.isEmpty else {
            throw CommandFailure(
                .malformed,
                "\(self.users?.quotedForMessage ?? "--users"): its SCRAM verifiers are not of SCRAM-SHA-256, "
                    + "so the way to log in must be given with --mechanism"
            )
        }
        return [.form]
    }

    /// Returns whether one of the mechanisms can verify a password against a credential.
    private func canLogIn(_ credential: StoredCredential, by mechanisms: Set<ServerMechanism>) -> Bool {
        mechanisms.contains { mechanism in
            switch mechanism {
            // It is not known who has one, and the page takes a password as well.
            case .passkey: false
            case .timestamp: credential.passwordEquivalent != nil
            case .scram: (try? credential.scramRecord().verifier.hashFunction) == .sha256
            case .form, .page:
                credential != .unusable && !Self.isPeppered(credential)
                    && (keyPhraseOptions.isGiven
                        || !credential.passwordHash.contains("$keyid=\(StoredCredential.hashKeyID)$"))
            }
        }
    }

    /// Whether a hash was made with a pepper. The server has none.
    private static func isPeppered(_ credential: StoredCredential) -> Bool {
        credential.state == .hash && credential.passwordHash.hasPrefix("$pepper-")
    }

    /// Returns the settings of SCRAM, and tells the log, if there is one, what a user of the server should know of them.
    func scramSettings(
        _ users: LoadedUsers,
        _ kept: ServerMocks?,
        _ tls: ServerTLS?,
        _ shared: SharedStateConfiguration?,
        _ log: ServerLog?
    ) throws -> LoginServer.SCRAMSettings {
        func warn(_ message: String) { log?.note(.warning, "configuration", message) }
        let kinds = SCRAM.MockVerifiers.Kind.counted(in: users.credentials)
        let key = try shared?.derivedKey(for: "SCRAM mock verifiers")
        var settings = LoginServer.SCRAMSettings(
            mocks: try kept ?? ServerMocks(of: kinds, key: key)
        )
        settings.key = try shared?.derivedKey(for: "SCRAM tokens")
        settings.statesSubject = mixedVerifiers
        settings.replacesVerifiers = replaceVerifiers
        if let tls {
            settings.binding = { tls.bindingOffer }
            if case .failure(let failure) = tls.identity.binding {
                warn("no channel binding is offered: \(failure.message ?? "")")
            }
        }
        if let mockKeyFile, !settings.mocks.matches(kinds, statesSubject: mixedVerifiers || replaceVerifiers)
        {
            warn(
                "\(mockKeyFile.quotedForMessage): the kinds of verifiers in it are not those of the users, so that users who "
                    + "do not exist can be told apart; after an upgrade of all users, remove it to get a new one"
            )
        }
        if mockKeyFile == nil, shared == nil {
            warn(
                "without --mock-key-file, the salts of users who do not exist change at each start and so give them away"
            )
        }
        if mechanism.contains(.scram), let users = users.file {
            for (reason, count) in users.reasonsAgainstSCRAM.sorted(by: { $0.key < $1.key }) {
                warn("\(count) of \(users.count) users cannot log in by SCRAM: \(reason)")
            }
        }
        return settings
    }
}
