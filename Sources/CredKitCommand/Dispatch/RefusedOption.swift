// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// An option of other tools that no command here has, on purpose. An invalid command line that contains one is rejected
/// with a message that names the safe way.
struct RefusedOption {
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
                file and name that, write it to standard input, or type it at the prompt; see --help.
                """
        ),
    ]
}
