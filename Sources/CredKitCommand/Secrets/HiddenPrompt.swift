// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Glibc

/// Asks for a secret at the terminal without showing what is typed.
struct HiddenPrompt {
    /// The signals that end or suspend a program: the terminal's settings are put back first.
    private static let signals = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE, SIGXCPU, SIGVTALRM,
        SIGPROF,
    ]

    /// The terminal.
    let descriptor: Int32

    /// Asks on standard error and reads a line from the terminal.
    ///
    /// - Returns: The line with its line feed.
    func ask(_ prompt: String) throws -> SecretBytes {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            throw CommandFailure(.inputOutput, "the terminal: \(SystemError.message(of: errno))")
        }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        hidden.c_lflag |= tcflag_t(ICANON | ECHONL)

        // Signals wait while the terminal is silent, so that none ends the program before the settings are back.
        var blocked = sigset_t()
        var previous = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &previous)
        sigemptyset(&blocked)
        // One that was blocked before would not do anything either.
        for signal in Self.signals where sigismember(&previous, signal) == 0 { sigaddset(&blocked, signal) }
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        while true {
            // What was typed before the prompt is not the password. Where echo cannot be turned off, nobody is
            // asked to type one.
            guard tcsetattr(descriptor, TCSAFLUSH, &hidden) == 0 else {
                throw CommandFailure(.inputOutput, "the terminal: \(SystemError.message(of: errno))")
            }
            StandardStreams.show(prompt)
            guard let signal = waitForLine(orOneOf: blocked) else { break }
            tcsetattr(descriptor, TCSAFLUSH, &settings)
            StandardStreams.show("\n")
            // Let it do what it would have done; a suspended program asks again when it goes on.
            pthread_sigmask(SIG_SETMASK, &previous, nil)
            raise(signal)
            pthread_sigmask(SIG_BLOCK, &blocked, nil)
        }
        defer { tcsetattr(descriptor, TCSANOW, &settings) }
        return try readLine()
    }

    /// Waits until there is a line to read, or a signal, whose number is returned.
    private func waitForLine(orOneOf signals: sigset_t) -> Int32? {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var signals = signals
        var noTime = timespec()
        while true {
            // Blocked signals do not end a poll, so they are asked for ten times a second.
            if poll(&input, 1, 100) > 0 { return nil }
            let signal = sigtimedwait(&signals, nil, &noTime)
            if signal > 0 { return signal }
        }
    }

    /// Reads what there is: a line, or what Ctrl-D has ended. One read only: a second one could wait, and signals
    /// are blocked here.
    private func readLine() throws -> SecretBytes {
        // A terminal hands out at most 4,096 bytes of a line.
        let line = try SecretBytes(capacity: 4096) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
        }
        let hasLineFeed = line.withSecretBytes { $0.count > 0 && $0[$0.count - 1] == UInt8(ascii: "\n") }
        if !hasLineFeed { StandardStreams.show("\n") }
        guard !line.isEmpty else { throw CommandFailure(.inputOutput, "nothing was typed: end of input") }
        return line
    }
}
