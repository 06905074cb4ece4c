// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTerminal

/// A command that runs without the argument parser, whose start takes longer than the work of such a command: it looks
/// up hundreds of conformances, each in a table of the whole program.
///
/// The command itself describes its options. Here are the names of those that scripts use; every other command line,
/// and every invalid one, is left to the argument parser.
struct FastCommand {
    /// A command line, split into its parts.
    struct Line {
        fileprivate(set) var operands: [[UInt8]] = []
        fileprivate(set) var flags: Set<String> = []
        fileprivate var values: [String: [UInt8]] = [:]

        func text(_ option: String) -> String? { values[option].map(RawArguments.decode) }
        func file(_ option: String) -> FileArgument? { values[option].map { FileArgument(bytes: $0) } }
    }

    /// The words that name the command.
    let path: [String]
    private let operandCounts: ClosedRange<Int>
    /// The options without a value, which may be repeated.
    var flags: Set<String> = []
    /// The options with a value, which may not be repeated.
    var options: Set<String> = []
    /// Returns the work of a command line; `nil` if a value is invalid.
    private let prepare: (Line) -> (() throws -> Void)?

    static var all: [FastCommand] {
        [
            checksums("md5", Legacy.MD5.self),
            checksums("sha1", Legacy.SHA1.self),
            checksums("sha256", SHA256.self),
            checksums("sha384", SHA384.self),
            checksums("sha512", SHA512.self),
            FastCommand(
                path: ["keychain", "get"],
                operandCounts: 1...2,
                flags: ["--quiet", "-q", "--no-prompt"],
                options: ["--backend", "--vault", "--vault-key-file", "--passphrase-file", "--collection"],
                prepare: keychainGet
            ),
        ]
    }

    /// Runs the command line of this process if it is one of these. Returns `false` if not, before anything is done.
    static func run() throws -> Bool {
        guard CalledName.arguments.isEmpty else { return false }
        let words = Array(RawArguments.bytes)
        for command in all where words.starts(with: command.path.map { Array($0.utf8) }) {
            guard let line = command.parse(words.dropFirst(command.path.count)),
                let work = command.prepare(line)
            else { return false }
            try work()
            return true
        }
        return false
    }

    private func parse(_ words: ArraySlice<[UInt8]>) -> Line? {
        var line = Line()
        line.operands.reserveCapacity(words.count)
        var rest = words
        while let word = rest.popFirst() {
            guard word.count > 1, word.first == UInt8(ascii: "-") else {
                line.operands.append(word)
                continue
            }
            let name = RawArguments.decode(word)
            if flags.contains(name) {
                line.flags.insert(name)
            } else {
                guard options.contains(name), line.values[name] == nil, let value = rest.popFirst(),
                    value.first != UInt8(ascii: "-")
                else { return nil }
                line.values[name] = value
            }
        }
        return operandCounts.contains(line.operands.count) ? line : nil
    }

    /// `hash md5 FILE…` and its family.
    private static func checksums<Function: DigestAlgorithm>(
        _ name: String,
        _: Function.Type
    ) -> FastCommand {
        FastCommand(path: ["hash", name], operandCounts: 1...Int.max) { line in
            let files = line.operands.map { FileArgument(bytes: $0) }
            return {
                try CommandFailure.answeringOne {
                    try ChecksumOutput.printDigests(
                        Function.self,
                        of: files,
                        style: .text,
                        terminatedByNUL: false
                    )
                }
            }
        }
    }

    /// `keychain get SERVICE [ACCOUNT]`.
    private static func keychainGet(_ line: Line) -> (() throws -> Void)? {
        var settings = KeychainSettings()
        if let name = line.text("--backend") {
            guard let backend = BackendArgument(rawValue: name) else { return nil }
            settings.backend = backend
        }
        settings.vault = line.file("--vault")
        settings.passphrase.keyFile = line.file("--vault-key-file")
        settings.passphrase.file = line.file("--passphrase-file")
        settings.collection = line.text("--collection")
        settings.prompts = !line.flags.contains("--no-prompt")
        let operands = line.operands.map(RawArguments.decode)
        guard let service = operands.first else { return nil }
        let key = CredentialKey(service: service, account: operands.dropFirst().first)
        let isQuiet = !line.flags.isDisjoint(with: ["--quiet", "-q"])
        return { [settings] in
            try MainThreadExecutor.run {
                try KeychainGetCommand.print(
                    await KeychainGetCommand.credential(key, settings, isQuiet: isQuiet).secret
                )
            }
        }
    }
}
