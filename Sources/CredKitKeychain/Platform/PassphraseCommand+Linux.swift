// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import CredKit
internal import Glibc

/// Runs a command that prints a passphrase.
enum PassphraseCommand {
    /// What `/bin/sh -c` prints on its standard output, without one line feed at the end.
    static func run(_ command: String, _ token: CallToken) throws(KeychainError) -> SecretBytes {
        var ends: [Int32] = [-1, -1]
        guard unsafe credkit_pipe(&ends) == 0 else {
            throw .system(errno, "cannot run the passphrase command")
        }
        let source = Descriptor(ends[0])
        let process = try start(command, output: Descriptor(ends[1]))
        let result: Result<SecretBytes, KeychainError>
        do throws(KeychainError) {
            result = .success(
                try SecretDescriptor.readAll(source.number, named: "the passphrase command", token)
            )
        } catch {
            // It is no longer waited for.
            kill(-process, SIGKILL)
            result = .failure(error)
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        let secret = try result.get()
        guard status == 0 else {
            let isExit = status & 0x7F == 0
            throw .noPassphrase(
                "the passphrase command ended with "
                    + (isExit ? "status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)")
            )
        }
        return try secret.withoutTrailingNewline()
    }

    private static func start(
        _ command: String,
        output: consuming Descriptor
    ) throws(KeychainError) -> pid_t {
        let actions = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)
        let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
        defer {
            unsafe actions.deallocate()
            unsafe attributes.deallocate()
        }
        unsafe posix_spawn_file_actions_init(actions)
        unsafe posix_spawnattr_init(attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(actions)
            unsafe posix_spawnattr_destroy(attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(actions, output.number, STDOUT_FILENO)
        // A group of its own, so that all of it can be ended.
        unsafe posix_spawnattr_setflags(attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var process = pid_t()
        let words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("/bin/sh"), strdup("-c"), strdup(command)]
        defer { unsafe words.forEach { unsafe free($0) } }
        let arguments = unsafe words + [nil]
        let status = unsafe posix_spawn(&process, "/bin/sh", actions, attributes, arguments, environ)
        guard status == 0 else { throw .system(status, "cannot run the passphrase command") }
        return process
    }
}
