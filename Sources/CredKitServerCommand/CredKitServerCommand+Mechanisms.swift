// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
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

    /// Returns the mechanisms of the command line, or those that suit the users file.
    ///
    /// A form beside SCRAM shows which users have a verifier, because verifying a password with one takes longer than with the
    /// hash that is computed for unknown names. So it is left out unless it is asked for.
    func mechanisms(for users: ServerUsers?) throws(CommandFailure) -> Set<ServerMechanism> {
        // Those of a table must be given.
        guard mechanism.isEmpty, let users else {
            if mechanism.contains(.form),
                users.map({ !$0.verifierFunctions.isEmpty }) ?? mechanism.contains(.scram)
            {
                warn(
                    "with --mechanism form, the time of an answer shows which users have a SCRAM verifier, and so that they exist"
                )
            }
            return Set(mechanism)
        }
        if let option = optionsOfSCRAM.first, !users.verifierFunctions.contains(.sha256) {
            throw CommandFailure(
                .malformed,
                "\(self.users?.quotedForMessage ?? "--users"): there is no verifier of SCRAM-SHA-256 in it, which \(option) requires "
                    + "unless --mechanism scram is given"
            )
        }
        guard !users.verifierFunctions.isEmpty else { return [.timestamp, .form] }
        if users.formOnlyCount > 0 {
            warn(
                "\(users.formOnlyCount) of \(users.count) users can log in by a form alone, which is off beside SCRAM verifiers "
                    + "unless --mechanism form is given"
            )
        }
        return users.verifierFunctions.contains(.sha256) ? [.timestamp, .scram] : [.timestamp]
    }

    /// Returns the settings of SCRAM, and tells what a user of the server should know of them.
    func scramSettings(
        _ users: ServerUsers?,
        kinds: [SCRAM.MockVerifiers.Kind],
        _ tls: ServerTLS?,
        _ shared: SharedStateConfiguration?
    ) throws -> LoginServer.SCRAMSettings {
        let key = try shared?.derivedKey(for: "SCRAM mock verifiers")
        var settings = LoginServer.SCRAMSettings(
            mocks: try mockKeyFile.map { try .kept(in: $0, kinds: kinds) } ?? ServerMocks(of: kinds, key: key)
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
        if mechanism.contains(.scram), let users {
            for (reason, count) in users.reasonsAgainstSCRAM.sorted(by: { $0.key < $1.key }) {
                warn("\(count) of \(users.count) users cannot log in by SCRAM: \(reason)")
            }
        }
        return settings
    }

    private func warn(_ message: String) { log.note(.warning, "configuration", message) }
}
#endif
