// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit otp verify`: verifies a code.
struct OTPVerifyCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a one-time code.",
        discussion: """
            For instance:
              credkit otp code example.com alice | credkit otp verify example.com alice

            Prints 'match' or 'mismatch' and exits with 0 or 1. This is a check at enrolment, and no login: it accepts a \
            code of the time (TOTP) more than once, and limits no attempts.
            """
    )

    @OptionGroup
    var item: OneTimeCodeArguments

    @Option(
        help: ArgumentHelp(
            "The periods before and after the current one, 0 to 10 (default: 1); with a counter, the codes that may be "
                + "skipped, 0 to 100 (default: 10).",
            valueName: "n"
        )
    )
    var window: Int?

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Code")
    var codeOptions: OneTimeCodeOptions

    @OptionGroup
    var arguments: KeychainArguments

    func validate() throws {
        guard 0...100 ~= window ?? 0 else { throw ValidationError("--window must be from 0 to 100.") }
        try InputSources.check(codeOptions, options)
    }

    func execute() async throws {
        let code = try codeOptions.read()
        let keychain = try await options.existingKeychain()
        let place = try await item.find(in: keychain)
        let key = try await OneTimeCodeItem.load(place, from: keychain).key
        let isMatch: Bool
        if case .time = key.kind {
            isMatch = try matches(code, key, at: .now)
        } else {
            isMatch = try await OneTimeCodeItem.changeCounter(place, in: keychain) { key in
                let next = try counter(behind: code, key)
                return (next != nil, next)
            }
        }
        let result = isMatch ? "match" : "mismatch"
        try CommandOutput(json: json, quiet: quiet).print(["result": result], text: result)
        guard isMatch else { throw CommandFailure(.no) }
    }

    private func matches(_ code: OneTimeCode?, _ key: OneTimeCodeKey, at now: UnixTime) throws -> Bool {
        guard window ?? 1 <= 10 else {
            throw CommandFailure(.usage, "--window must be from 0 to 10 for a key with the time")
        }
        let width = UInt64(window ?? 1)
        let step = try key.timeStep(at: now)
        let periods = (step - min(step, width))...(step + width)
        return code.flatMap { key.counters(of: $0, in: periods) } != nil
    }

    /// Returns the counter behind a code; `nil` if the code is wrong.
    private func counter(behind code: OneTimeCode?, _ key: OneTimeCodeKey) throws -> UInt64? {
        guard let code, case .counter(let next) = key.kind, next < .max else { return nil }
        let window = next...next + min(UInt64(window ?? 10), .max - 1 - next)
        return key.counters(of: code, in: window).map { $0.lowerBound + 1 }
    }
}
