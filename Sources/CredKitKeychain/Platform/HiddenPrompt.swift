// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKit
internal import Glibc

/// Asks for a secret at a terminal without showing what is typed.
///
/// Whatever ends or suspends the program meanwhile first puts the terminal back as it was, as readpassphrase(3) does;
/// a suspended program asks again when it goes on.
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

    /// Asks, and waits as long as it takes.
    ///
    /// - Parameter prompt: The question.
    /// - Returns: The line with its line feed.
    /// - Throws: ``KeychainError/inputOutput`` when nothing was typed, or the terminal fails.
    package func ask(_ prompt: String) throws(KeychainError) -> SecretBytes {
        try ask(prompt, nil)
    }

    /// Asks, and waits until the token's deadline.
    func ask(_ prompt: String, _ token: CallToken?) throws(KeychainError) -> SecretBytes {
        while !Self.isAsking.withLock({ isAsking in
            defer { isAsking = true }
            return !isAsking
        }) {
            try token?.check()
            usleep(50_000)
        }
        defer { Self.isAsking.withLock { $0 = false } }
        while true {
            let (answer, signal) = askOnce(prompt, token)
            if let signal { Self.pass(on: signal) }
            switch answer {
            case .success(let line?): return line
            case .success(nil): continue
            case .failure(let error): throw error
            }
        }
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

    /// What was typed, or `nil` if a signal came before; and that signal.
    private func askOnce(
        _ prompt: String,
        _ token: CallToken?
    ) -> (Result<SecretBytes?, KeychainError>, signal: Int32?) {
        var settings = termios()
        guard unsafe tcgetattr(input, &settings) == 0 else { return (.failure(Self.failure(errno)), nil) }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        hidden.c_lflag |= tcflag_t(ICANON | ECHONL)

        let signals = NotedSignals()
        var signal: Int32?
        var answer: Result<SecretBytes?, KeychainError> = .success(nil)
        // What was typed before the prompt is not the secret. Where echo cannot be turned off, nobody is asked to
        // type one.
        if unsafe tcsetattr(input, TCSAFLUSH, &hidden) == 0 {
            show(prompt)
            do throws(KeychainError) {
                signal = try waitForLine(orOneOf: signals, token)
                if signal == nil { answer = .success(try readLine()) }
            } catch {
                answer = .failure(error)
            }
            if case .success(.some) = answer {
                unsafe tcsetattr(input, TCSANOW, &settings)
            } else {
                // Half a secret is not for the shell.
                unsafe tcsetattr(input, TCSAFLUSH, &settings)
                show("\n")
            }
        } else if errno != EINTR {
            answer = .failure(Self.failure(errno))
        }
        signal = signal ?? signals.take()
        signals.restore()
        return (answer, signal)
    }

    /// Waits until there is a line to read, or a signal, whose number is returned.
    private func waitForLine(
        orOneOf signals: borrowing NotedSignals,
        _ token: CallToken?
    ) throws(KeychainError) -> Int32? {
        while true {
            if let signal = signals.take() { return signal }
            try token?.check()
            // Another thread may have got the signal, so that it does not end this.
            var line = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&line, 1, 100) > 0 { return nil }
        }
    }

    /// Reads what there is: a line, or what Ctrl-D has ended.
    private func readLine() throws(KeychainError) -> SecretBytes {
        var errorNumber: Int32 = 0
        let line: SecretBytes
        do throws(SecretMemoryError) {
            // A terminal hands out at most 4,096 bytes of a line.
            line = try SecretBytes(capacity: 4096) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                    let result = unsafe read(input, buffer.baseAddress, buffer.count)
                    if result < 0 { errorNumber = errno }
                    count = max(0, result)
                }
            }
        } catch {
            throw .outOfMemory
        }
        guard errorNumber == 0 else { throw Self.failure(errorNumber) }
        guard !line.isEmpty else { throw .inputOutput("nothing was typed: end of input") }
        if !line.withSecretBytes({ $0[$0.count - 1] == UInt8(ascii: "\n") }) { show("\n") }
        return line
    }

    private func show(_ text: String) {
        // When even this fails there is nobody left to tell.
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(output, $0.baseAddress, $0.count) }
    }

    private static func failure(_ errorNumber: Int32) -> KeychainError {
        .system(errorNumber, "the terminal")
    }
}
