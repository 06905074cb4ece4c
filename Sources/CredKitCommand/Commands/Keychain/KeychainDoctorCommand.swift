// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain doctor`: diagnoses and repairs the keychain.
struct KeychainDoctorCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find and repair problems of the keychain.",
        discussion: """
            For instance:
              credkit keychain doctor

            Without options it says which backend is used and why, changes and unlocks nothing, and never prompts. The \
            exit status is 1 if there is a problem; with --deep it is 65 if the vault is damaged or not what this account \
            has seen, and 77 if it cannot be unlocked. A file that --repair replaces is kept under another name.
            """
    )

    @Flag(help: "Unlock the vault, and check every byte of it.")
    var deep = false

    @Flag(help: "Restore a damaged or missing vault from its backup, or a damaged backup from the vault.")
    var repair = false

    @Flag(
        help: """
            With --repair, also restore a backup older than the state before the last save, and accept an older vault as \
            the newest.
            """
    )
    var acceptOlderCopy = false

    @Flag(help: "Accept the vault as it is: an older copy, another vault, or none.")
    var acceptCurrent = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @OptionGroup
    var arguments: KeychainArguments

    func validate() throws {
        guard repair || !acceptOlderCopy else {
            throw ValidationError("--accept-older-copy requires --repair.")
        }
        guard !repair || !acceptCurrent else {
            throw ValidationError("Give only one of --repair and --accept-current.")
        }
        guard options.backend?.backend != .secretService || !(deep || repair || acceptCurrent) else {
            throw ValidationError(
                "--deep, --repair and --accept-current are for the vault; the Secret Service has no equivalent."
            )
        }
    }

    func execute() async throws {
        // Read only once, for all that follows.
        let configuration = try options.vaultConfiguration()
        var diagnosis = Diagnosis()
        if repair { try await diagnosis.repairVault(configuration, acceptsOlderCopy: acceptOlderCopy) }
        if acceptCurrent { try await diagnosis.acceptVault(configuration) }
        try await diagnosis.examine(options, configuration, isDeep: deep)
        try CommandOutput(json: json, quiet: quiet).print(diagnosis, text: diagnosis.text)
        if let failure = diagnosis.failure { throw CommandFailure(failure) }
        if !diagnosis.isHealthy { throw CommandFailure(.no) }
    }
}
