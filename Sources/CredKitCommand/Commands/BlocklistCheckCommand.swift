// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit blocklist check`: checks new passwords against lists and the other requirements.
struct BlocklistCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify that a new password is long enough, and on no list.",
        discussion: """
            For instance:
              printf 'correct horse battery' | credkit blocklist check --user-name alice
              printf 'password\\n' | credkit blocklist check --lines --words common.txt

            Prints 'acceptable', or each reason of NIST SP 800-63B-4 against the password, and exits with 0 or 1; with \
            --lines it exits as grep, with 0 if a line is printed.

            Without a list, 19,640 common passwords are rejected; with one of your own, also give '--list common' for them.
            """
    )

    @OptionGroup(title: "Lists (repeatable)")
    var listOptions: BlocklistOptions

    @Option(help: ArgumentHelp("The user's name; may be repeated.", valueName: "name"))
    var userName: [String] = []

    @Option(help: ArgumentHelp("The service's name; may be repeated.", valueName: "name"))
    var serviceName: [String] = []

    @Flag(help: "Accept 8 characters, beside a second factor.")
    var secondFactor = false

    @Flag(help: "Apply only the lists.")
    var listsOnly = false

    @Flag(help: "Normalize first, by RFC 8265 (OpaqueString).")
    var normalize = false

    @OptionGroup(title: "Many passwords, with --lines")
    var matchOptions: LineMatchOptions

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        guard !listsOnly || userName.isEmpty && serviceName.isEmpty else {
            throw ValidationError("Give only one of --lists-only and names.")
        }
        guard !matchOptions.lines || passwordOptions.descriptors == [0] && !passwordOptions.raw else {
            throw ValidationError("--lines reads passwords from standard input.")
        }
        guard
            !matchOptions.lines
                || userName.isEmpty && serviceName.isEmpty && !secondFactor && !listsOnly && !normalize
        else {
            throw ValidationError("--lines applies only lists.")
        }
    }

    /// The output of `--json`.
    private struct Result: Encodable {
        struct Reason: Encodable {
            let reason: String
            let message: String
            let list: String?
        }

        let acceptable: Bool
        let reasons: [Reason]
    }

    /// Reads the password. Several lines are hardly one password, and would be an acceptable one, since they are long.
    private func password() throws -> SecretBytes {
        let password = try passwordOptions.read(isNew: false)
        let lines = password.withSecretBytes { bytes in
            bytes.indices.count { bytes[$0] == UInt8(ascii: "\n") } + 1
        }
        guard lines == 1 || passwordOptions.raw else {
            throw CommandFailure(
                .malformed,
                "the password has \(lines) lines: --lines checks each of them; --raw takes them as one password"
            )
        }
        return password
    }

    func run() throws {
        let lists = try listOptions.open()
        if matchOptions.lines {
            let count = try matchOptions.search(lists, json: json, quiet: quiet)
            guard count > 0 else { throw CommandFailure(.no) }
            return
        }
        let requirements = PasswordRequirements(minimumLength: secondFactor ? 8 : 15, blocklists: lists)
        let rejections = try requirements.check(
            password(),
            normalization: normalize ? .rfc8265 : .none,
            about: userName.map { .userName($0) } + serviceName.map { .serviceName($0) }
        ).filter { !listsOnly || [.onBlocklist, .notAllowed].contains($0.reason) }
        let reasons = rejections.map {
            Result.Reason(reason: $0.reason.rawValue, message: $0.description, list: $0.blocklist)
        }
        let text = rejections.map { rejection in
            "\(rejection)" + (rejection.blocklist.map { ": \(ShellQuoting.quote(Array($0.utf8)))" } ?? "")
        }
        try CommandOutput(json: json, quiet: quiet).print(
            Result(acceptable: reasons.isEmpty, reasons: reasons),
            text: text.isEmpty ? "acceptable" : text.joined(separator: "\n")
        )
        guard reasons.isEmpty else { throw CommandFailure(.no) }
    }
}
