// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal
import FoundationEssentials
import Glibc

/// `credkit docker-credential`: a docker credential helper that uses the keychain.
struct DockerCredentialCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "docker-credential",
        abstract: "Store docker's passwords in the keychain.",
        discussion: """
            For instance:
              echo '{"ServerURL":"r.example","Username":"alice","Secret":"s3cret"}' > json
              credkit docker-credential store < json; credkit docker-credential list

            To use it, create a link with the name that docker looks for, and name the helper in ~/.docker/config.json:
              ln -s "$(command -v credkit)" ~/.local/bin/docker-credential-credkit
              { "credsStore": "credkit" }

            As docker expects, an error message goes to standard output, and the exit status is 0 or 1.
            """
    )

    @Argument(help: "The action: store, get, erase, list or version.")
    var action: String

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        guard !options.descriptors.contains(STDIN_FILENO) else {
            throw ValidationError(
                "Standard input is reserved for docker's request; read the passphrase from another source."
            )
        }
    }

    func execute() async throws {
        do {
            try await answer()
        } catch let error as KeychainError {
            try refuse(error.description)
        } catch let failure as CommandFailure {
            try refuse(failure.message ?? "failed")
        }
    }

    /// Fails with a message on standard output, where docker reads it.
    private func refuse(_ message: String) throws {
        try StandardStreams.writeLine(ShellQuoting.escapingUnprintable(message))
        throw CommandFailure(.no)
    }

    private func answer() async throws {
        switch action {
        case "store": try await store().add(DockerCredential(json: input()))
        case "get": try await StandardStreams.write(store().credential(for: serverURL()).json)
        case "erase": try await store().delete(serverURL())
        case "list":
            let users = try await store().list().map { (name: $0.server, value: $0.user) }
            try StandardStreams.write(JSONLine(inOrder: users).bytes)
        case "version":
            try StandardStreams.writeLine(
                "docker-credential-credkit (CredKit) \(CredKitCommand.configuration.version)"
            )
        default:
            throw CommandFailure(.no, "docker-credential-credkit: unknown action: \(action)")
        }
    }

    private func store() async throws -> DockerCredentialStore {
        DockerCredentialStore(keychain: try await options.keychain(schema: .docker))
    }

    private func input() throws -> SecretBytes {
        try SecretReader(file: nil, descriptor: nil, option: "", prompt: "").readToEnd()
    }

    private func serverURL() throws -> String {
        // Like docker-credential-helpers, drop all line ends and the surrounding spaces.
        let lines = try input().heapCopy.split(separator: UInt8(ascii: "\n"))
        let bytes = lines.flatMap { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.no, "the server URL is not UTF-8")
        }
        var url = text.unicodeScalars[...]
        while url.first?.properties.isWhitespace == true { url.removeFirst() }
        while url.last?.properties.isWhitespace == true { url.removeLast() }
        guard !url.isEmpty else { throw DockerCredential.noServerURL }
        guard !DockerCredential.hasLineBreak(String(url)) else { throw DockerCredential.lineBreak }
        return String(url)
    }
}
