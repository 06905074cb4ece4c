// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import Glibc

/// Runs a command that prints a passphrase.
enum PassphraseCommand {
    /// Returns the standard output of `/bin/sh -c`, without one line feed at the end.
    static func run(_ command: String, _ token: CancellationToken) throws(KeychainError) -> SecretBytes {
        // If this throws before the command has ended, the command is killed: its output is not needed any more.
        let shell = try converting(
            ShellCommand(
                command,
                usesTerminal: TerminalPrompt.isPossible,
                without: "CREDKIT_PASSPHRASE",
                "cannot run the passphrase command"
            )
        )
        shell.kill(atStopOf: token)
        var messages = CommandMessages(shell.messages)
        let secret = try readOutput(shell.output, &messages, token)
        let status = try wait(for: shell, &messages, token)
        guard status == 0 else {
            // A command that was killed at the deadline has not failed by itself.
            if let failure = failure(of: token) { throw failure }
            let isExit = status & 0x7F == 0
            throw .noPassphrase(
                "the passphrase command ended with "
                    + (isExit ? "status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)")
                    + (messages.lastLine.isEmpty ? "" : ": \(messages.lastLine)")
            )
        }
        return try convertingMemory(secret.withoutTrailingNewline())
    }

    /// Reads to the end of the output, which is reached when no process holds the pipe open any more.
    private static func readOutput(
        _ output: Descriptor,
        _ messages: inout CommandMessages,
        _ token: CancellationToken
    ) throws(KeychainError) -> SecretBytes {
        // One line feed, and one byte by which a longer output is detected.
        let capacity = VaultLimits.passphraseByteCount + 2
        var failure: KeychainError?
        let secret = try convertingMemory(
            SecretBytes(capacity: capacity) { bytes in
                unsafe bytes.withUnsafeMutableBufferPointer { buffer, count in
                    while count < buffer.count {
                        failure = waitForOutput(output.number, &messages, token)
                        guard failure == nil else { return }
                        let step = unsafe read(
                            output.number,
                            buffer.baseAddress?.advanced(by: count),
                            buffer.count - count
                        )
                        if step == 0 {
                            // The end may be that of a command that was killed at the deadline.
                            failure = Self.failure(of: token)
                            return
                        }
                        if step > 0 {
                            count += step
                        } else if errno != EINTR {
                            failure = .system(errno, "cannot read from the passphrase command")
                            return
                        }
                    }
                }
            }
        )
        if let failure { throw failure }
        guard secret.count < capacity else {
            throw .overLimit(
                "the passphrase command prints more than the \(VaultLimits.passphraseByteCount) bytes that a passphrase "
                    + "may have"
            )
        }
        return secret
    }

    /// Waits until there is output or its end. Messages are read meanwhile, so that the command does not wait for that.
    private static func waitForOutput(
        _ output: Int32,
        _ messages: inout CommandMessages,
        _ token: CancellationToken
    ) -> KeychainError? {
        while true {
            if let failure = failure(of: token) { return failure }
            var inputs = [pollfd(fd: output, events: Int16(POLLIN), revents: 0), messages.input]
            let count = unsafe poll(&inputs, 2, 50)
            if inputs[1].revents != 0 { messages.read() }
            if count == 0 { messages.showAll() }
            if inputs[0].revents != 0 { return nil }
        }
    }

    private static func failure(of token: CancellationToken) -> KeychainError? {
        do throws(KeychainError) {
            try token.check()
            return nil
        } catch {
            return error == .timedOut ? .timedOut("timed out reading the passphrase command") : error
        }
    }

    /// Waits for the end of a command that has closed its output, which may take a while.
    private static func wait(
        for shell: borrowing ShellCommand,
        _ messages: inout CommandMessages,
        _ token: CancellationToken
    ) throws(KeychainError) -> Int32 {
        while true {
            do throws(KeychainError) {
                try token.check()
            } catch {
                throw error == .timedOut ? .timedOut("the passphrase command did not end in time") : error
            }
            do throws(SystemError) {
                if let status = try shell.status() {
                    messages.finish()
                    return status
                }
            } catch {
                throw .failed("\(error.description) (this program must not ignore SIGCHLD)")
            }
            var input = messages.input
            if unsafe poll(&input, 1, 1) > 0 { messages.read() }
        }
    }
}
