// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTerminal

/// `keychain get SERVICE [ACCOUNT]` with the options that scripts use. It runs without the argument parser, which takes
/// longer than opening a vault and reading from it.
struct PlainKeychainGet {
    private var settings = KeychainSettings()
    private var isQuiet = false
    private let key: CredentialKey

    /// Parses the command line. Returns `nil` for any other or invalid command line, which the argument parser handles.
    init?() {
        let words = RawArguments.bytes
        guard CalledName.arguments.isEmpty, (3...16).contains(words.count),
            words.prefix(2).elementsEqual([Array("keychain".utf8), Array("get".utf8)])
        else { return nil }
        self.init(words.dropFirst(2).map(RawArguments.decode))
    }

    /// Parses the arguments after `keychain get`.
    init?(_ words: [String]) {
        var operands: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.utf8.first == UInt8(ascii: "-") else {
                operands.append(word)
                continue
            }
            if word == "--quiet" || word == "-q" {
                isQuiet = true
            } else if word == "--no-prompt" {
                settings.prompts = false
            } else {
                guard let value = rest.popFirst(), value.utf8.first != UInt8(ascii: "-"),
                    settings.set(word, to: value)
                else { return nil }
            }
        }
        guard let service = operands.first, operands.count <= 2 else { return nil }
        key = CredentialKey(service: service, account: operands.count == 2 ? operands[1] : nil)
    }

    func run() throws {
        try MainThreadExecutor.run {
            try KeychainGetCommand.print(
                await KeychainGetCommand.credential(key, settings, isQuiet: isQuiet)
            )
        }
    }
}

extension KeychainSettings {
    /// Sets an option to a value. Returns `false` if the option is unknown or repeated, or the value is invalid.
    fileprivate mutating func set(_ name: String, to value: String) -> Bool {
        switch name {
        case "--backend":
            guard backend == nil, let named = BackendArgument(rawValue: value) else {
                return false
            }
            backend = named
        case "--vault":
            guard vault == nil else { return false }
            vault = FileArgument(argument: value)
        case "--vault-key-file":
            guard passphrase.keyFile == nil else { return false }
            passphrase.keyFile = FileArgument(argument: value)
        case "--passphrase-file":
            guard passphrase.file == nil else { return false }
            passphrase.file = FileArgument(argument: value)
        case "--collection":
            guard collection == nil else { return false }
            collection = value
        default: return false
        }
        return true
    }
}
