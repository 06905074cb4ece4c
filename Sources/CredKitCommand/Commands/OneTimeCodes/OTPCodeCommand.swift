// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal
import Glibc

/// `credkit otp code`: prints the current code.
struct OTPCodeCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Print the current one-time code.",
        discussion: """
            For instance:
              credkit otp code example.com alice

            Names may be left out where only one item can be meant; if there are several, they are named, and the exit \
            status is 64. Codes of a counter (HOTP) are never printed twice: the new counter is stored first. The exit \
            status is 1 if there is no such item.
            """
    )

    @OptionGroup
    var item: OneTimeCodeArguments

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @Flag(help: "Print each next code as well, until Ctrl-C.")
    var watch = false

    @OptionGroup
    var arguments: KeychainArguments

    func execute() async throws {
        let keychain = try await options.existingKeychain()
        let key = try await item.find(in: keychain)
        if watch {
            return try await Self.follow(OneTimeCodeItem.load(key, from: keychain).key, json: json)
        }
        let listing = try await OneTimeCodeListing(takenFrom: key, in: keychain)
        try CommandOutput(json: json).print(listing, text: listing.code)
        if let seconds = listing.secondsLeft, isatty(STDERR_FILENO) == 1 {
            StandardStreams.show("\(seconds) s left\n")
        }
    }

    /// Shows the codes of a key from now on.
    private static func follow(_ key: OneTimeCodeKey, json: Bool) async throws {
        guard case .time = key.kind else {
            throw CommandFailure(.usage, "--watch is for codes of the time; this key has a counter")
        }
        let redraws = StandardStreams.writesToTerminal && !json
        var shown = ""
        while true {
            let listing = try OneTimeCodeListing(of: key, at: .now)
            let line = redraws ? "\(listing.code)  \(listing.secondsLeft ?? 0) s left" : listing.code
            let state = "\(line) \(listing.expires ?? "")"
            if state != shown {
                shown = state
                if redraws {
                    // To the start of the line, whose rest is deleted.
                    try StandardStreams.write("\r\u{1B}[K\(line)")
                } else {
                    try CommandOutput(json: json).print(listing, text: line)
                }
            }
            // More often than once a second, so that none is left out.
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
