// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain doctor`: diagnoses the keychain.
struct KeychainDoctorCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show which backend would be used and why, and how to fix problems.",
        discussion: """
            For instance:
              credkit keychain doctor

            Changes and unlocks nothing, and never prompts. The exit status is 1 if there is a problem.
            """
    )

    @Flag(
        help: """
            Print one JSON object: backend, reason, findings. Each finding has name, state (ok, note, problem), \
            detail, advice.
            """
    )
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let diagnosis = try await Diagnosis(options)
        try CommandOutput(json: json, quiet: quiet).print(diagnosis, text: diagnosis.text)
        if !diagnosis.isHealthy { throw CommandFailure(.no) }
    }
}
