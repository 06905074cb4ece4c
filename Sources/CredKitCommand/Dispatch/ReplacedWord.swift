// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A word of an earlier version or of a similar tool, and its replacement. An invalid command line that contains one is
/// rejected with a message that names the replacement.
struct ReplacedWord {
    /// The commands that had the word: the beginnings of their command lines.
    let commands: [[String]]
    /// The words. One that ends in `=` stands for every word that begins with it.
    let words: [String]
    let advice: String

    /// Throws `ValidationError` for the first replaced word in an invalid command line.
    static func check(_ arguments: [String]) throws {
        for entry in all {
            guard let command = entry.commands.first(where: { arguments.starts(with: $0) }) else { continue }
            let rest = arguments.dropFirst(command.count).prefix { $0 != "--" }
            guard rest.contains(where: entry.matches) else { continue }
            throw ValidationError(entry.advice)
        }
    }

    private func matches(_ argument: String) -> Bool {
        words.contains { word in
            argument == word || word.hasSuffix("=") && argument.hasPrefix(word)
                || word.hasPrefix("--") && argument.hasPrefix("\(word)=")
        }
    }

    private static let all: [ReplacedWord] = {
        let keychains = [["keychain"], ["git-credential"], ["docker-credential"]]
        let bare = [["verify"], ["upgrade"], ["inspect"]]
        func option(_ commands: [[String]], _ old: String, _ new: String) -> ReplacedWord {
            ReplacedWord(commands: commands, words: [old], advice: "\(old) is now \(new).")
        }
        let options = [
            option(keychains, "--key-file", "--vault-key-file"), option(keychains, "--scheme", "--schema"),
            option([["login"]], "--scheme", "--mechanism"),
            option([["login"], ["hash", "timestamp"]], "--key-file", "--key-phrase-file"),
            option([["login"], ["hash", "timestamp"]], "--key-fd", "--key-phrase-fd"),
            option(
                [["upgrade"]],
                "--from",
                "--as for the type of bare hexadecimal hashes, and --only to limit the upgrade to schemes"
            ),
            option([["verify"]], "--from", "--as"),
            option([["upgrade"]], "--cost", "--memory and --passes, as in 'credkit hash argon2id'"),
            option(bare, "hex-md5", "md5, or salted-md5 with a salt"),
            option(bare, "hex-hmac-md5", "hmac-md5"), option(bare, "timestamped-login", "timestamp"),
        ]
        let costs = [
            ("memory", "--memory"), ("passes", "--passes"), ("log-n", "--cost"),
            ("block-size", "--block-size"), ("parallelism", "--parallelism"), ("cost", "--cost"),
            ("rounds", "--rounds"), ("iterations", "--iterations"),
        ].map { option([["hash"]], "\($0)=", $1) }
        let refused = [
            ReplacedWord(
                commands: [["request"], ["login"]],
                words: ["--insecure", "-k", "--no-check-certificate"],
                advice: """
                    No option accepts a certificate that is not trusted: anyone on the way could read and change what is \
                    sent, the password first. Name the certificates to trust with --cacert FILE, or the server's key with \
                    --pinnedpubkey HASH.
                    """
            ),
            ReplacedWord(
                commands: [[]],
                words: ["--password", "--passphrase"],
                advice: """
                    A password is never given on the command line, where all users of this machine can see it: put it in a \
                    file and name that, write it to standard input, or type it at the prompt; see --help.
                    """
            ),
        ]
        return options + costs + refused
    }()
}
