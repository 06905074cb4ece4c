// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Asks for a line at a terminal without showing what is typed.
///
/// A signal that ends or suspends the program first restores the terminal, except SIGKILL and crashes. A suspended
/// program asks again when it continues.
package struct HiddenPrompt {
    /// Handlers of signals are the whole process's, so that there is one prompt at a time.
    private static let isAsking = Lock(false)

    private let input: Int32
    private let output: Int32

    /// A prompt.
    ///
    /// - Parameters:
    ///   - input: The terminal.
    ///   - output: Where the question is written.
    package init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    /// Asks until there is an answer.
    ///
    /// - Parameters:
    ///   - prompt: The question.
    ///   - shouldStop: Whether to stop waiting; called many times a second.
    ///   - read: Reads a line from the terminal's descriptor, which returns at most 4,096 bytes of it, and tells whether
    ///     a line feed was typed at its end; `nil` if it was not read.
    /// - Returns: What `read` returned; `nil` if it was stopped before.
    /// - Throws: ``SystemError`` when the terminal fails.
    package func ask<Line>(
        _ prompt: String,
        until shouldStop: () -> Bool,
        read: (Int32) -> (line: Line, endsWithLineFeed: Bool?)
    ) throws(SystemError) -> Line? {
        while !Self.isAsking.withLock({ isAsking in
            defer { isAsking = true }
            return !isAsking
        }) {
            if shouldStop() { return nil }
            usleep(50_000)
        }
        defer { Self.isAsking.withLock { $0 = false } }
        while true {
            let (answer, signal) = askOnce(prompt, until: shouldStop, read: read)
            if let signal { Self.pass(on: signal) }
            switch answer {
            case .line(let line): return line
            case .interrupted: continue
            case .stopped: return nil
            case .failed(let errorNumber): throw SystemError(errorNumber, "cannot ask at the terminal")
            }
        }
    }

    private enum Answer<Line> {
        case line(Line), interrupted, stopped, failed(Int32)
    }

    /// Lets a signal do what it would have done, before this returns.
    private static func pass(on signal: Int32) {
        // The threads of the pool block signals, and those that they start inherit that.
        var unblocked = sigset_t()
        var previous = sigset_t()
        unsafe sigemptyset(&unblocked)
        unsafe sigaddset(&unblocked, signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &unblocked, &previous)
        raise(signal)
        unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
    }

    /// Asks until there is a line or a signal, which is returned with it.
    private func askOnce<Line>(
        _ prompt: String,
        until shouldStop: () -> Bool,
        read: (Int32) -> (line: Line, endsWithLineFeed: Bool?)
    ) -> (Answer<Line>, signal: Int32?) {
        var settings = termios()
        guard unsafe tcgetattr(input, &settings) == 0 else { return (.failed(errno), nil) }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        hidden.c_lflag |= tcflag_t(ICANON | ECHONL)

        let signals = NotedSignals()
        var signal: Int32?
        var answer = Answer<Line>.interrupted
        var isRead = false
        // What was typed before the prompt is not the answer. Where echo cannot be turned off, there is no question.
        if unsafe tcsetattr(input, TCSAFLUSH, &hidden) == 0 {
            // It may contain a file name that another person has chosen.
            show(prompt.escapingUnprintableAsOctal())
            switch waitForLine(orOneOf: signals, until: shouldStop) {
            case .line:
                let (line, endsWithLineFeed) = read(input)
                answer = .line(line)
                isRead = endsWithLineFeed != nil
                if endsWithLineFeed == false { show("\n") }
            case .signal(let number): signal = number
            case .stopped: answer = .stopped
            }
            if isRead {
                unsafe tcsetattr(input, TCSANOW, &settings)
            } else {
                // Discard half a line, so that the shell does not read it.
                unsafe tcsetattr(input, TCSAFLUSH, &settings)
                show("\n")
            }
        } else if errno != EINTR {
            answer = .failed(errno)
        }
        signal = signal ?? signals.take()
        signals.restore()
        return (answer, signal)
    }

    private enum Event {
        case line, signal(Int32), stopped
    }

    private func waitForLine(
        orOneOf signals: borrowing NotedSignals,
        until shouldStop: () -> Bool
    ) -> Event {
        while true {
            if let signal = signals.take() { return .signal(signal) }
            if shouldStop() { return .stopped }
            // Another thread may have received the signal, so poll is not interrupted by it.
            var line = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&line, 1, 100) > 0 { return .line }
        }
    }

    private func show(_ text: String) {
        // A failure cannot be reported: the terminal is where it would be shown.
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(output, $0.baseAddress, $0.count) }
    }
}
