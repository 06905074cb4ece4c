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

            Without a list, 19,640 common passwords are rejected, in upper or lower case: those of Django (BSD licence), \
            made by Royce Williams. --list common adds them to other lists.

            Prints 'acceptable', or each reason against the password, and exits with 0 or 1. The requirements are those of \
            NIST SP 800-63B-4: 15 characters, or 8 if a login also needs a second factor; no common, expected or leaked \
            password; no rules about the kinds of characters.

            With --lines, prints the passwords that are on a list, and exits as grep and pwqfilter do: with 0 if there is \
            one, otherwise with 1. Only the lists are applied then.
            """
    )

    @OptionGroup(title: "Lists")
    var listOptions: BlocklistOptions

    @Option(help: ArgumentHelp("A name of the user; may be repeated.", valueName: "name"))
    var userName: [String] = []

    @Option(help: ArgumentHelp("A name of the service; may be repeated.", valueName: "name"))
    var serviceName: [String] = []

    @Flag(help: "Each login needs a second factor: 8 characters are enough.")
    var secondFactor = false

    @Flag(help: "Apply only the lists, not the limits of the length.")
    var listsOnly = false

    @Flag(help: "Normalize the password by RFC 8265 (OpaqueString) before it is counted and compared.")
    var normalize = false

    @OptionGroup(title: "Many passwords")
    var matchOptions: LineMatchOptions

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @Flag(
        help: "Print JSON: acceptable, reasons; with --lines an object for each password, or one with count."
    )
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

    func run() throws {
        let lists = try listOptions.open()
        if matchOptions.lines {
            let count = try matchOptions.search(lists, json: json, quiet: quiet)
            guard count > 0 else { throw CommandFailure(.no) }
            return
        }
        let requirements = PasswordRequirements(minimumLength: secondFactor ? 8 : 15, blocklists: lists)
        let rejections = try requirements.check(
            passwordOptions.read(isNew: false),
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
