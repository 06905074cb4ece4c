// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit inspect`: shows the properties of a stored hash.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the scheme, costs and status of a stored hash.",
        discussion: """
            For instance:
              credkit inspect '$1$abc$iCQ2D3nhptRYi27fDYv2s1'
              cut -d : -f 2 htpasswd | credkit inspect

            With no HASH, or when HASH is -, reads one hash per line from standard input. No hash is computed. The \
            exit status is 65 if a line is not a hash of a known scheme.
            """
    )

    @Argument(help: "The stored hash.")
    var hash: String?

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Bare hexadecimal hashes")
    var bareHashOptions: BareHashOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws { try bareHashOptions.check() }

    func run() throws {
        if let hash, hash != "-" {
            try show(bareHashOptions.hash(hash, isArgument: true), isFirst: true)
            return
        }
        var number = 0
        var isFirst = true
        var hasFailed = false
        func fail(_ reason: String) {
            hasFailed = true
            StandardStreams.report("line \(number): \(reason)")
        }
        do {
            try LineReader(InputFile(.standardInput)).forEachLine { line, isWhole in
                number += 1
                guard !line.isEmpty else { return }
                do {
                    guard isWhole else { throw PasswordError.unrecognized }
                    try show(bareHashOptions.hash(RawArguments.decode(Array(line))), isFirst: isFirst)
                    isFirst = false
                } catch let error as PasswordError {
                    fail("\(error)")
                } catch let failure as CommandFailure where failure.status == .malformed {
                    fail(failure.message ?? "")
                }
            }
        } catch let error as FileError {
            throw CommandFailure(.inputOutput, "standard input: \(error.message)")
        }
        if hasFailed { throw CommandFailure(.malformed) }
    }

    private func show(_ hash: PasswordHash, isFirst: Bool) throws {
        let listing = HashListing(hash)
        try CommandOutput(json: json).print(listing, text: (isFirst ? "" : "\n") + listing.text)
    }
}
