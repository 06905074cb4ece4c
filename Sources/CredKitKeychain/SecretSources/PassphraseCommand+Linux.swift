// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CCredKitLinux
internal import CredKit
internal import Glibc

/// Runs a command that prints a passphrase.
enum PassphraseCommand {
    /// Returns the standard output of `/bin/sh -c`, without one line feed at the end.
    static func run(_ command: String, _ token: CancellationToken) throws(KeychainError) -> SecretBytes {
        var ends: [Int32] = [-1, -1]
        guard unsafe credkit_pipe(&ends) == 0 else {
            throw .system(errno, "cannot run the passphrase command")
        }
        let source = Descriptor(ends[0])
        // A separate process group can be killed as a whole, but cannot prompt at the terminal, and Ctrl-C does not
        // reach it.
        let isGroup = !TerminalPrompt.isPossible
        let process = try start(command, output: Descriptor(ends[1]), isGroup: isGroup)
        let secret: SecretBytes
        let status: Int32
        do throws(KeychainError) {
            secret = try SecretDescriptor.readAll(source.number, named: "the passphrase command", token)
            status = try wait(for: process, token)
        } catch {
            // The command is killed, since its output is not needed any more.
            kill(isGroup ? -process : process, SIGKILL)
            while waitpid(process, nil, 0) < 0 && errno == EINTR {}
            throw error
        }
        guard status == 0 else {
            let isExit = status & 0x7F == 0
            throw .noPassphrase(
                "the passphrase command ended with "
                    + (isExit ? "status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)")
            )
        }
        return try convertingMemory(secret.withoutTrailingNewline())
    }

    /// Waits for the end of a command that has closed its output, which may take a while.
    private static func wait(for process: pid_t, _ token: CancellationToken) throws(KeychainError) -> Int32 {
        var status: Int32 = 0
        while true {
            let ended = unsafe waitpid(process, &status, WNOHANG)
            if ended == process || (ended < 0 && errno != EINTR) { return status }
            do throws(KeychainError) {
                try token.check()
            } catch {
                throw error == .timedOut ? .timedOut("the passphrase command did not end in time") : error
            }
            usleep(1000)
        }
    }

    private static func start(
        _ command: String,
        output: consuming Descriptor,
        isGroup: Bool
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
        if isGroup { unsafe posix_spawnattr_setflags(attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
        var process = pid_t()
        let words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("/bin/sh"), strdup("-c"), strdup(command)]
        defer { unsafe words.forEach { unsafe free($0) } }
        let arguments = unsafe words + [nil]
        let status = unsafe posix_spawn(&process, "/bin/sh", actions, attributes, arguments, environ)
        guard status == 0 else { throw .system(status, "cannot run the passphrase command") }
        return process
    }
}
