// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitSystem
import CredKitTerminal

/// `credkit verify`: verifies a password against a stored hash.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a password against a stored hash.",
        discussion: """
            For instance:
              printf secret | credkit verify '$1$abc$iCQ2D3nhptRYi27fDYv2s1'
              printf secret | credkit verify --as salted-md5 --salt shop \\
                f433c50293bc7afbe20b67ceb15a1e55

            Prints 'match' or 'mismatch' and exits with 0 or 1. Exits with 65 without an answer if the hash is \
            malformed, of an unknown scheme or over the limits.
            """
    )

    @Argument(help: "The stored hash. It is visible in the process list while this runs; see --hash-file.")
    var hash: String?

    @Option(help: ArgumentHelp("A file with the stored hash on its only line.", valueName: "file"))
    var hashFile: FileArgument?

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Bare hexadecimal hashes")
    var bareHashOptions: BareHashOptions

    @Option(
        help: ArgumentHelp(
            "The key of an HMAC-MD5 hash: its identifier, and a file whose bytes are all used.",
            valueName: "id=file"
        )
    )
    var legacyKey: [KeyFileArgument] = []

    @OptionGroup(title: "Keys and limits")
    var hasherOptions: PasswordContextOptions

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        guard (hash == nil) != (hashFile == nil) else {
            throw ValidationError("Give exactly one of HASH and --hash-file.")
        }
        try bareHashOptions.check()
        try InputSources.check(
            passwordOptions,
            hasherOptions,
            others: legacyKey.map(\.descriptor) + [hashFile?.descriptor]
        )
    }

    func run() throws {
        let stored = try readHash()
        var policy = PasswordPolicy.recommended
        // There is one hash, and nothing else to do.
        policy.argon2Threads = Processors.available
        let context = try hasherOptions.makeHasher(policy: policy, legacyKeys: legacyKey, isVerifying: true)
        let isMatch = try context.matches(passwordOptions.read(isNew: false), stored)
        let result = isMatch ? "match" : "mismatch"
        try CommandOutput(json: json, quiet: quiet).print(
            [
                "result": result, "scheme": SchemeArgument.name(of: stored),
                "policy": "\(context.assess(stored))",
            ],
            text: result
        )
        guard isMatch else { throw CommandFailure(.no) }
    }

    private func readHash() throws -> PasswordHash {
        let text = try hash ?? hashFile.map(Self.readLine) ?? ""
        return try bareHashOptions.hash(text, limits: hasherOptions.limits, isArgument: hash != nil)
    }

    /// Returns the only line of a file.
    private static func readLine(_ file: FileArgument) throws -> String {
        var lines: [String] = []
        do {
            let input = try InputFile(file)
            // Who can change the hash decides who matches.
            try input.refuseIfOthersCanChange()
            try LineReader(input).forEachLine { line, _ in
                guard lines.count < 2 else { return }
                // The salt behind a digest can be any bytes.
                lines.append(RawArguments.decode(Array(line)))
            }
        } catch let error as FileError {
            let advice =
                StoredHashHint.isHash(file.display) ? " (a hash itself is given without --hash-file)" : ""
            throw CommandFailure(.inputOutput, "\(file.quotedForMessage): \(error.message)\(advice)")
        }
        guard lines.count == 1 else {
            throw CommandFailure(
                .malformed,
                "\(file.quotedForMessage): expected exactly one line with a hash"
            )
        }
        return lines[0]
    }
}
