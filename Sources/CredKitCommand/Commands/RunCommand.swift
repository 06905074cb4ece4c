// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTerminal
import Glibc

/// `credkit run`: gives secrets to one command.
struct RunCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a command with secrets of the keychain.",
        discussion: """
            For instance:
              printf s3cret | credkit keychain set db.example alice
              credkit run --env PGPASSWORD=db.example/alice -- printenv PGPASSWORD

            The command takes the place of credkit, so that signals and the exit status are its own. If an item does \
            not exist, nothing is run, and the exit status is 1.

            The service ends at the last slash: https://example.com/alice is alice at https://example.com, and \
            https://example.com/ the item without an account. In the account, %2F stands for a slash.

            Root and other processes of the same user can read both, in /proc/PID/environ and at /proc/PID/fd/N, and child \
            processes inherit both. Prefer --fd where the command can read a password from a file: many programs log or \
            print their variables.
            """
    )

    @Option(
        help: ArgumentHelp(
            "A variable of the environment with the secret of an item.",
            valueName: "name=service/account"
        ),
        transform: VariableArgument.parse
    )
    var env: [VariableArgument] = []

    @Option(
        help: ArgumentHelp(
            "A variable with the name of a file in memory, /dev/fd/N, that contains the secret.",
            valueName: "name=service/account"
        ),
        transform: VariableArgument.parse
    )
    var fd: [VariableArgument] = []

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The command and its arguments, after --.", valueName: "command")
    )
    var command: [String]

    /// A variable of the command's environment.
    private typealias Variable = (name: String, value: SecretBytes)

    func validate() throws {
        let names = (env + fd).map(\.name)
        guard !names.isEmpty else { throw ValidationError("Name the secrets with --env or --fd.") }
        var known: Set<String> = []
        for name in names where !known.insert(name).inserted {
            throw ValidationError("The variable \(name) is given twice.")
        }
        guard command.first?.isEmpty == false else { throw ValidationError("The command is empty.") }
        try InputSources.check(options)
    }

    func execute() async throws {
        let keychain = try await options.existingKeychain()
        // All of them before anything is done.
        let values = try await Self.secrets(of: env, "--env", keychain)
        let contents = try await Self.secrets(of: fd, "--fd", keychain)
        for variable in values { try Self.refuseNUL(variable) }
        var variables = values
        var files: [Descriptor] = []
        for content in contents {
            let file = try Self.file(content)
            files.append(file)
            variables.append((content.name, try SecretBytes("/dev/fd/\(file.number)")))
        }
        let block = try Self.block(variables)
        closePassphraseSources()
        ProcessSetup.restore()
        let failure = block.withSecretBytes { block in
            ReplacingProgram.start(
                command.map(RawArguments.encode),
                variables: block,
                count: variables.count,
                without: "CREDKIT_PASSPHRASE"
            )
        }
        withExtendedLifetime(files) {}
        let name = ShellQuoting.quote(command.first.map(RawArguments.encode) ?? [])
        throw CommandFailure(
            failure == ENOENT ? .noSuchCommand : .notExecutable,
            "cannot run \(name): \(SystemError.message(of: failure))"
                + (failure == E2BIG && !env.isEmpty ? "; a long secret needs --fd" : "")
        )
    }

    private static func secrets(
        of arguments: [VariableArgument],
        _ option: String,
        _ keychain: Keychain
    ) async throws -> [Variable] {
        var secrets: [Variable] = []
        for argument in arguments {
            guard let credential = try await keychain.credential(for: argument.key) else {
                // Other tools take NAME=VALUE: a secret in place of an item is not shown.
                guard try await !keychain.items(service: argument.key.service).isEmpty else {
                    throw CommandFailure(
                        .no,
                        "\(option) \(argument.name): there is no such item; it takes NAME=SERVICE/ACCOUNT, and no secret "
                            + "('credkit keychain list' lists the items)"
                    )
                }
                throw await CommandFailure.missingItem(argument.key, in: keychain, isQuiet: false)
            }
            secrets.append((argument.name, credential.secret))
        }
        return secrets
    }

    /// A variable ends at a NUL byte, so that the command would get another secret.
    private static func refuseNUL(_ variable: Variable) throws {
        let hasNUL = variable.value.withSecretBytes { bytes in bytes.indices.contains { bytes[$0] == 0 } }
        guard !hasNUL else {
            throw CommandFailure(
                .malformed,
                "the secret for \(variable.name) contains a NUL byte, which no variable can have: use --fd"
            )
        }
    }

    private static func file(_ content: Variable) throws -> Descriptor {
        do {
            return try content.value.withSecretBytes { (bytes) throws(SystemError) in
                try ReplacingProgram.inheritedFile(bytes, "cannot create a file in memory")
            }
        } catch {
            throw CommandFailure(.inputOutput, "\(error)")
        }
    }

    /// Returns the variables one after the other, `NAME=VALUE` with a NUL byte at the end of each.
    private static func block(_ variables: [Variable]) throws(SecretMemoryError) -> SecretBytes {
        let capacity = variables.reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 2 }
        return try SecretBytes(capacity: capacity) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                for variable in variables {
                    for byte in variable.name.utf8 {
                        buffer[count] = byte
                        count += 1
                    }
                    buffer[count] = UInt8(ascii: "=")
                    let start = count + 1
                    variable.value.withSecretBytes { bytes in
                        for index in bytes.indices { buffer[start + index] = bytes[index] }
                    }
                    count = start + variable.value.count
                    buffer[count] = 0
                    count += 1
                }
            }
        }
    }

    /// The command must not be able to read again what unlocked the keychain.
    private func closePassphraseSources() {
        for descriptor in options.descriptors where descriptor != STDIN_FILENO {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        guard options.descriptors.contains(STDIN_FILENO) else { return }
        let empty = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard empty >= 0 else { return }
        dup2(empty, STDIN_FILENO)
        close(empty)
    }
}
