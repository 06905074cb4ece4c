// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal
import Glibc

/// `credkit git-credential`: a git credential helper that uses the keychain.
struct GitCredentialCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "git-credential",
        abstract: "Store git's passwords in the keychain.",
        discussion: """
            For instance:
              echo url=https://alice:s3cret@example.com | credkit git-credential store
              echo url=https://alice@example.com | credkit git-credential get

            To use it, create a link with the name that git looks for, and name the helper:
              ln -s "$(command -v credkit)" ~/.local/bin/git-credential-credkit
              git config --global credential.helper credkit

            In the Secret Service, items have the attributes of git-credential-libsecret; in the vault, the address is \
            the service.
            """
    )

    @Argument(help: "The operation: get, store, erase or capability. Others are ignored, as git requires.")
    var operation: String

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        guard !options.descriptors.contains(STDIN_FILENO) else {
            throw ValidationError(
                "Standard input is reserved for git's request; read the passphrase from another source."
            )
        }
    }

    func execute() async throws {
        if operation == "capability" {
            return try StandardStreams.write(Array("version 0\ncapability authtype\n".utf8))
        }
        guard ["get", "store", "erase"].contains(operation) else { return }
        let input = try SecretReader(file: nil, descriptor: nil, option: "", prompt: "")
        let message = try GitCredentialMessage(input.readToEnd())
        // Without an address the message would match every item.
        guard let address = message.address else {
            throw CommandFailure(.malformed, "git's request has no protocol, or neither host nor path")
        }
        let isStoring = operation == "store"
        guard !isStoring || !message.isEphemeral else { return }
        var options = options
        // Honor git's own setting, so that scripts do not wait for an answer.
        if let value = getenv("GIT_TERMINAL_PROMPT"), String(cString: value) == "0" {
            options.noPrompt = true
        }
        let store = GitCredentialStore(keychain: try await options.keychain(schema: .git))
        switch operation {
        case "get": try StandardStreams.write(await store.answer(message, address))
        case "store": try await store.store(message, address)
        default: try await store.erase(message, address)
        }
    }
}
