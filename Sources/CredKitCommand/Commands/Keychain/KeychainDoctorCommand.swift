// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain doctor`: diagnoses and repairs the keychain.
struct KeychainDoctorCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show which backend would be used and why, and find and repair problems.",
        discussion: """
            For instance:
              credkit keychain doctor

            Alone it changes and unlocks nothing, and never prompts; --deep unlocks the vault. The exit status is 1 if \
            there is a problem. With --deep it is 65 if the vault is damaged, or is not what this account has seen: an \
            older copy, another vault, or missing; 77 if it cannot be unlocked.

            --repair deletes nothing: a replaced file is kept under another name. It says what was restored, which \
            generation, and what is lost.
            """
    )

    @Flag(help: "Read and check every byte of the vault.")
    var deep = false

    @Flag(
        help: "Restore a damaged or missing vault from its backup, or a damaged backup from the vault."
    )
    var repair = false

    @Flag(
        help: """
            With --repair, also restore a backup that is older than the state before the last save, and accept an older \
            copy of the vault as the newest.
            """
    )
    var acceptOlderCopy = false

    @Flag(
        help: "Accept the vault as it is from now on: an older copy, another vault, or that there is none."
    )
    var acceptCurrent = false

    @Flag(
        help: """
            Print one JSON object: backend, reason, findings, items with --deep, repair, acceptance. Each finding has \
            name, state (ok, note, problem), detail, advice.
            """
    )
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
