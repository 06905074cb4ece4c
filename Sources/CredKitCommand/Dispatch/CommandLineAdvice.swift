// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// What to say of an invalid command line, if more can be said than the argument parser would.
enum CommandLineAdvice {
    /// Throws ``CommandFailure`` with the advice for an invalid command line.
    static func check(_ arguments: [String]) throws {
        do {
            try RefusedOption.check(arguments)
            try UnknownSubcommand.check(arguments)
            try UnexpectedOperand.check(arguments)
        } catch let error as ValidationError {
            // The parser would add the usage of `credkit` itself, which does not help.
            let help =
                error.message.contains("--help") ? "" : " See '\(CalledCommand(arguments).path) --help'."
            throw CommandFailure(.usage, error.message + help)
        }
        try UnknownOption.check(arguments)
    }
}

/// An option of other tools that no command here has, on purpose. An invalid command line that contains one is rejected
/// with a message that names the safe way.
private struct RefusedOption {
    /// The commands that the message is for: the beginnings of their command lines.
    let commands: [[String]]
    let names: [String]
    let advice: String

    /// Throws `ValidationError` for the first refused option in an invalid command line.
    static func check(_ arguments: [String]) throws {
        for option in all {
            guard let command = option.commands.first(where: { arguments.starts(with: $0) }) else { continue }
            let rest = arguments.dropFirst(command.count).prefix { $0 != "--" }
            guard rest.contains(where: option.matches) else { continue }
            throw ValidationError(option.advice)
        }
    }

    private func matches(_ argument: String) -> Bool {
        names.contains { argument == $0 || $0.hasPrefix("--") && argument.hasPrefix("\($0)=") }
    }

    private static let all = [
        RefusedOption(
            commands: [["request"], ["login"]],
            names: ["--insecure", "-k", "--no-check-certificate"],
            advice: """
                No option accepts a certificate that is not trusted: anyone on the way could read and change what is \
                sent, the password first. Name the certificates to trust with --cacert FILE, or the server's key with \
                --pinnedpubkey HASH.
                """
        ),
        RefusedOption(
            commands: [[]],
            names: ["--password", "--passphrase"],
            advice: """
                A password is never given on the command line, where all users of this machine can see it: put it in a \
                file and name that with --password-file or --passphrase-file, write it to standard input, or type it \
                at the prompt; see --help.
                """
        ),
    ]
}

/// Names the subcommand that an unknown word was probably meant to be.
private enum UnknownSubcommand {
    /// Throws `ValidationError` if a command line has an unknown word in place of a subcommand. The message does not
    /// repeat the word, which may be a password.
    static func check(_ arguments: [String]) throws {
        var rest = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        var type: any ParsableCommand.Type = CredKitCommand.self
        var path = "credkit"
        while let name = rest.first, let next = type.subcommand(name) {
            (type, path, rest) = (next, "\(path) \(name)", rest.dropFirst())
        }
        guard let word = rest.first, word != "help", !type.configuration.subcommands.isEmpty else { return }
        if let advice = SubcommandSynonym.advice(word, in: path) { throw ValidationError(advice) }
        // `credkit hash` reads a password; a word after it is never one. Elsewhere it is an operand of the default subcommand.
        let isHash = path == "credkit hash"
        guard isHash || type.configuration.defaultSubcommand == nil else { return }
        guard !word.hasPrefix("-") || isHash && word == "-" else { return }
        var names = type.subcommandNames
        var unknown = "There is no such subcommand of '\(path)'"
        if arguments.first == "help", path == "credkit" {
            names += HelpTopic.allCases.map(\.rawValue)
            unknown = "There is no such subcommand or topic"
        }
        if let name = NearestWord.to(word, among: names) {
            throw ValidationError("\(unknown): did you mean '\(name)'?")
        }
        if let group = type.groups.first(where: { $0.subcommand(word) != nil }) {
            throw ValidationError("\(unknown): did you mean '\(path) \(group.name) \(word)'?")
        }
        let advice = isHash ? " To hash a file, give 'credkit hash sha256 FILE'." : ""
        throw ValidationError(
            "\(unknown).\(advice) There are \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")."
        )
    }
}

extension ParsableCommand {
    fileprivate static var name: String { configuration.commandName ?? "" }
    fileprivate static var subcommandNames: [String] { configuration.subcommands.map { $0.name } }
    /// The subcommands that have subcommands.
    fileprivate static var groups: [any ParsableCommand.Type] {
        configuration.subcommands.filter { !$0.configuration.subcommands.isEmpty }
    }
}

/// Words that similar tools have for subcommands, and what they are called here.
private enum SubcommandSynonym {
    /// Finds out what the command is that another tool has a word for.
    ///
    /// - Parameters:
    ///   - word: The word in place of a subcommand.
    ///   - path: The command whose subcommand it would be, such as `credkit keychain`.
    /// - Returns: The message; `nil` if no tool is known to have the word.
    static func advice(_ word: String, in path: String) -> String? {
        if let refusal = refusals[path]?[word] { return refusal }
        // `credkit show` is a keychain's word without its command.
        let own = commands[path]?[word] ?? (path == "credkit" ? commands["credkit keychain"]?[word] : nil)
        return own.map { "Unexpected argument '\(word)': did you mean '\($0)'?" }
    }

    private static let commands: [String: [String: String]] = [
        "credkit keychain": [
            "store": "credkit keychain set", "insert": "credkit keychain set", "add": "credkit keychain set",
            "put": "credkit keychain set", "save": "credkit keychain set", "edit": "credkit keychain set",
            "lookup": "credkit keychain get", "show": "credkit keychain get", "read": "credkit keychain get",
            "clear": "credkit keychain delete", "rm": "credkit keychain delete",
            "remove": "credkit keychain delete",
            "ls": "credkit keychain list", "find": "credkit keychain list",
            "search": "credkit keychain list",
            "status": "credkit keychain doctor",
            "passwd": "credkit keychain passphrase", "open": "credkit keychain unlock",
            "close": "credkit keychain lock",
        ],
        "credkit blocklist": [
            "make": "credkit blocklist build", "create": "credkit blocklist build",
            "add": "credkit blocklist build", "lookup": "credkit blocklist check",
            "test": "credkit blocklist check",
        ],
        "credkit hash": [
            "sha": "credkit hash sha256", "sha2": "credkit hash sha256", "hmac": "credkit hash hmac-sha256",
            "argon": "credkit hash argon2id",
            "pbkdf2": "credkit hash pbkdf2-sha256",
            "scram": "credkit hash scram-sha-256", "htpasswd": "credkit hash bcrypt",
            "-c": "credkit hash sha256 --check", "--check": "credkit hash sha256 --check",
        ],
        "credkit": [
            "version": "credkit --version", "-v": "credkit --version", "-V": "credkit --version",
            "md5sum": "credkit hash md5", "sha256sum": "credkit hash sha256",
            "sha1sum": "credkit hash sha1", "sha512sum": "credkit hash sha512",
            "pwqcheck": "credkit blocklist check", "oathtool": "credkit otp code",
            "secret-tool": "credkit keychain", "pass": "credkit keychain", "wget": "credkit request",
            "checksum": "credkit hash sha256",
            "digest": "credkit hash sha256", "mkpasswd": "credkit hash yescrypt",
            "passwd": "credkit hash argon2id", "htpasswd": "credkit users", "exec": "credkit run",
            "password": "credkit generate", "pwgen": "credkit generate", "random": "credkit generate",
            "totp": "credkit otp code", "identify": "credkit inspect", "encode": "credkit base64",
            "decode": "credkit base64 -d", "compare": "credkit verify", "check": "credkit verify",
            "migrate": "credkit upgrade", "convert": "credkit upgrade", "fetch": "credkit request",
            "curl": "credkit request", "signin": "credkit login", "signout": "credkit logout",
            "session": "credkit sessions", "doctor": "credkit keychain doctor",
        ],
        "credkit otp": [
            "get": "credkit otp code", "show": "credkit otp code", "generate": "credkit otp code",
            "rm": "credkit otp delete", "remove": "credkit otp delete", "set": "credkit otp add",
            "check": "credkit otp verify",
        ],
    ]

    private static let refusals: [String: [String: String]] = {
        let sha3 = "There is no SHA-3: use 'credkit hash sha256' or 'credkit hash sha512'."
        let argon2 =
            "New hashes are 'credkit hash argon2id'; hashes of Argon2i and Argon2d are verified only."
        return [
            "credkit": [
                "encrypt":
                    "Files are not encrypted; 'credkit keychain set' stores passwords and other secrets encrypted."
            ],
            "credkit hash": [
                "sha3": sha3, "sha3-256": sha3, "sha3-512": sha3, "argon2i": argon2, "argon2d": argon2,
                "ntlm":
                    "NTLM hashes are verified only ('credkit verify --as ntlm'): hash with 'credkit hash argon2id'.",
            ],
        ]
    }()
}

/// Names the option that a first argument was probably meant for, of commands that have options only and read no password.
/// Of other commands an unexpected argument may be a password.
private enum UnexpectedOperand {
    /// Throws `ValidationError` if an invalid command line has an argument right after the name of such a command.
    static func check(_ arguments: [String]) throws {
        for (command, advice) in options where arguments.starts(with: command) {
            guard let argument = arguments.dropFirst(command.count).first, !argument.hasPrefix("-") else {
                continue
            }
            throw ValidationError("'credkit \(command.joined(separator: " "))' has options only: \(advice).")
        }
    }

    private static let options: [([String], String)] = [
        (["generate"], "give the number of characters with --length"),
        (["logout"], "name the session with --session"),
        (
            ["blocklist", "check"],
            "name a list with --words or --filter; a password is never given on the command line, where all users "
                + "of this machine can see it"
        ),
        (["sessions"], "it lists all; 'credkit request --session NAME URL' uses one"),
        (["upgrade"], "name the table with --input, and the new one with --output"),
        (["keychain", "doctor"], "name the store with --backend or --vault"),
        (["keychain", "lock"], "name the collection with --collection"),
        (["keychain", "unlock"], "name the collection with --collection"),
        (["keychain", "move"], "name the stores with --from and --to"),
    ]
}

/// Finds the word that another one was probably meant to be.
enum NearestWord {
    /// Returns the nearest of some words; `nil` if none resembles the word.
    static func to(_ word: String, among words: [String]) -> String? {
        guard word.utf8.count <= 32 else { return nil }
        let nearest = words.map { ($0, steps(from: word, to: $0)) }.min { $0.1 < $1.1 }
        return nearest.flatMap { name, steps in steps <= max(1, name.utf8.count / 3) ? name : nil }
    }

    /// The end of a message about a word that is none of some others: which there are, and which one resembles it.
    static func advice(_ word: String, among words: [String]) -> String {
        let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return list + (to(word, among: words).map { "; did you mean '\($0)'?" } ?? ".")
    }

    /// Returns the distance of two words. One letter in another place, as in `whit` for `with`, is one step.
    private static func steps(from word: String, to other: String) -> Int {
        let steps = distance(word, other)
        return steps == 2 && word.utf8.sorted() == other.utf8.sorted() ? 1 : steps
    }

    /// Returns the number of characters to insert, delete, replace or swap with the next one to get from one word to
    /// another.
    static func distance(_ word: String, _ other: String) -> Int {
        let (word, other) = (Array(word.utf8), Array(other.utf8))
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for (index, byte) in word.enumerated() {
            var row = [index + 1]
            for (column, otherByte) in other.enumerated() {
                var steps = last[column] + (byte == otherByte ? 0 : 1)
                steps = min(steps, last[column + 1] + 1, row[column] + 1)
                if index > 0, column > 0, byte == other[column - 1], word[index - 1] == otherByte {
                    steps = min(steps, beforeLast[column - 1] + 1)
                }
                row.append(steps)
            }
            (beforeLast, last) = (last, row)
        }
        return last[other.count]
    }
}
