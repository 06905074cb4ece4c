// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Glibc

/// Asks for a secret at the terminal without showing what is typed.
enum HiddenPrompt {
    /// The signals that end or suspend a program from the terminal: its settings are put back first.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    /// Asks on standard error and reads a line from standard input, which must be a terminal.
    ///
    /// - Returns: The line without its end.
    static func ask(_ prompt: String) throws -> SecretBytes {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw CommandFailure(.inputOutput, "the terminal: \(SystemError.message(of: errno))")
        }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        hidden.c_lflag |= tcflag_t(ICANON | ECHONL)

        // Signals wait while the terminal is silent, so that none ends the program before the settings are back.
        var blocked = sigset_t()
        var previous = sigset_t()
        sigemptyset(&blocked)
        for signal in signals { sigaddset(&blocked, signal) }
        pthread_sigmask(SIG_BLOCK, &blocked, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        while true {
            show(prompt)
            // What was typed before the prompt is not the password.
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
            guard let signal = waitForLine(orOneOf: blocked) else { break }
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            show("\n")
            // Let it do what it would have done; a suspended program asks again when it goes on.
            pthread_sigmask(SIG_SETMASK, &previous, nil)
            raise(signal)
            pthread_sigmask(SIG_BLOCK, &blocked, nil)
        }
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
        return try readLine()
    }

    /// Waits until there is a line to read, or a signal, whose number is returned.
    private static func waitForLine(orOneOf signals: sigset_t) -> Int32? {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        var signals = signals
        var noTime = timespec()
        while true {
            // Blocked signals do not end a poll, so they are asked for ten times a second.
            if poll(&input, 1, 100) > 0 { return nil }
            let signal = sigtimedwait(&signals, nil, &noTime)
            if signal > 0 { return signal }
        }
    }

    private static func readLine() throws -> SecretBytes {
        // A terminal hands out at most 4,096 bytes of a line.
        var outcome = 0
        let line = try SecretBytes(capacity: 4096) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                repeat {
                    outcome = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
                } while outcome < 0 && errno == EINTR
                count = max(0, outcome)
            }
        }
        guard outcome > 0 else {
            throw CommandFailure(.inputOutput, "no password was given")
        }
        return try line.withoutTrailingNewline()
    }

    private static func show(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
