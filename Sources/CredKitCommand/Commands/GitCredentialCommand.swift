// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal
import Glibc

/// `credkit git-credential`: git's passwords in the keychain.
struct GitCredentialCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "git-credential",
        abstract: "Keeps git's passwords in the keychain: a credential helper.",
        discussion: """
            For instance:
              echo url=https://alice:s3cret@example.com | credkit git-credential store
              echo url=https://alice@example.com | credkit git-credential get

            To use it, link the command to a name that git looks for, and name it to git:
              ln -s "$(command -v credkit)" ~/.local/bin/git-credential-credkit
              git config --global credential.helper credkit

            Reads attributes from standard input, as gitcredentials(7) and git-credential(1) describe. In the Secret \
            Service items have the attributes of git-credential-libsecret, in the vault the address is the service.
            """
    )

    @Argument(help: "get, store, erase or capability; others do nothing, as git wants it.")
    var operation: String

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func validate() throws {
        guard !options.descriptors.contains(STDIN_FILENO) else {
            throw ValidationError("Standard input is git's; give the passphrase from somewhere else.")
        }
    }

    func execute() async throws {
        if operation == "capability" {
            return try StandardStreams.write(Array("version 0\ncapability authtype\n".utf8))
        }
        guard ["get", "store", "erase"].contains(operation) else { return }
        let input = try SecretReader(file: nil, descriptor: STDIN_FILENO, option: "", prompt: "")
        let message = try GitCredentialMessage(input.readToEnd())
        // A message without an address means everything, which nobody wants.
        guard let address = message.address else {
            throw CommandFailure(.malformed, "git names no protocol, or neither host nor path")
        }
        let isStoring = operation == "store"
        guard !isStoring || !message.isEphemeral else { return }
        var options = options
        // What git is told, so that scripts do not wait for anybody.
        if let value = getenv("GIT_TERMINAL_PROMPT"), String(cString: value) == "0" {
            options.noPrompt = true
        }
        let store = GitCredentialStore(keychain: try await options.keychain(scheme: .git))
        switch operation {
        case "get": try StandardStreams.write(await store.answer(message, address))
        case "store": try await store.store(message, address)
        default: try await store.erase(message, address)
        }
    }
}
