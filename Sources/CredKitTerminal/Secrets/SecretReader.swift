// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
public import CredKit
import CredKitKeychain
import Glibc

/// Reads a secret directly into guarded memory: from a terminal without echo, from any other source to its end.
public final class SecretReader {
    /// The maximum size of a secret in bytes: enough for any key file, and a limit for descriptors that never end.
    public static let maximumByteCount = 1024 * 1024

    private let descriptor: Int32
    private let isOwned: Bool
    /// The name of the source in messages.
    private let name: String
    private let prompt: String
    /// The end of the time for reading; `nil` if there is none.
    private let deadline: CancellationToken?

    /// Whether the source is a terminal.
    public var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Creates a reader of the file if there is one, otherwise of the descriptor if there is one, otherwise of standard
    /// input.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - descriptor: The descriptor.
    ///   - option: The option that names the descriptor, for messages.
    ///   - prompt: The question at a terminal.
    ///   - timeout: The time limit for reading; `nil` for none.
    /// - Throws: ``CommandFailure`` if the file cannot be opened.
    public init(
        file: FileArgument?,
        descriptor: Int32?,
        option: String,
        prompt: String,
        timeout: Duration? = nil
    ) throws {
        self.prompt = prompt
        deadline = timeout.map { CancellationToken(deadline: .now + $0) }
        if let file, !file.isStandardInput {
            // A pipe without a writer would otherwise block here.
            self.descriptor = open(
                file.bytes.map { CChar(bitPattern: $0) } + [0],
                O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
            )
            isOwned = true
            name = file.quoted
            guard self.descriptor >= 0 else {
                throw CommandFailure(.inputOutput, "\(name): \(SystemError.message(of: errno))")
            }
            try InputFile.refuseIfOthersCanChange(self.descriptor, file)
        } else {
            self.descriptor = descriptor ?? STDIN_FILENO
            isOwned = false
            name = descriptor.map { "\(option) \($0)" } ?? "standard input"
        }
    }

    deinit {
        if isOwned && descriptor >= 0 { close(descriptor) }
    }

    /// Reads the secret. Drops one trailing line feed unless `keepsLineFeed`.
    public func readAll(keepsLineFeed: Bool) throws -> SecretBytes {
        let secret = isTerminal ? try ask(prompt) : try readToEnd()
        return keepsLineFeed ? secret : try secret.withoutTrailingNewline()
    }

    /// Reads a secret that is being set. A typing error would go unnoticed, so a terminal prompt asks twice. An input without a
    /// byte is an error: the program that should have written the secret has probably failed. A line feed alone is an empty
    /// secret.
    public func readNew(keepsLineFeed: Bool) throws -> SecretBytes {
        guard isTerminal else {
            let secret = try readToEnd()
            guard !secret.isEmpty else {
                throw CommandFailure(
                    .malformed,
                    "\(name): nothing was read, and nothing was done (an empty line is an empty password)"
                )
            }
            return keepsLineFeed ? secret : try secret.withoutTrailingNewline()
        }
        let secret = try readAll(keepsLineFeed: keepsLineFeed)
        let again = try ask("Again: ")
        guard try (keepsLineFeed ? again : again.withoutTrailingNewline()) == secret else {
            throw CommandFailure(.malformed, "the two passwords differ; nothing was done")
        }
        return secret
    }

    private func ask(_ prompt: String) throws -> SecretBytes {
        try HiddenPrompt(input: descriptor, output: STDERR_FILENO).ask(prompt, deadline)
    }

    /// Reads to the end, even from a terminal.
    public func readToEnd() throws -> SecretBytes {
        var capacity = 1024
        var secret = try read(after: nil, capacity: capacity)
        // A full buffer does not show whether there is more. Reading one byte beyond the limit does.
        while secret.count == capacity && capacity <= Self.maximumByteCount {
            capacity = min(capacity * 4, Self.maximumByteCount + 1)
            secret = try read(after: secret, capacity: capacity)
        }
        guard secret.count <= Self.maximumByteCount else {
            throw CommandFailure(
                .malformed,
                "\(name): longer than the \(Self.maximumByteCount) bytes that a password or key may have"
            )
        }
        return secret
    }

    /// Continues to read until the end or until the secret has `capacity` bytes.
    private func read(after start: SecretBytes?, capacity: Int) throws -> SecretBytes {
        var errorNumber: Int32 = 0
        var isTimedOut = false
        let secret = try SecretBytes(capacity: capacity) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                start?.withSecretBytes { bytes in
                    for index in bytes.indices { buffer[index] = bytes[index] }
                    count = bytes.count
                }
                while count < buffer.count {
                    guard waitForInput() else {
                        isTimedOut = true
                        return
                    }
                    let step = Glibc.read(
                        descriptor,
                        buffer.baseAddress?.advanced(by: count),
                        buffer.count - count
                    )
                    if step > 0 {
                        count += step
                    } else if step == 0 {
                        return
                    } else if errno != EINTR && errno != EAGAIN {
                        errorNumber = errno
                        return
                    }
                }
            }
        }
        guard !isTimedOut else { throw KeychainError.timedOut("timed out reading \(name)") }
        guard errorNumber == 0 else {
            throw CommandFailure(.inputOutput, "\(name): \(SystemError.message(of: errorNumber))")
        }
        return secret
    }

    /// Waits until there is something to read, an end or an error.
    ///
    /// - Returns: Whether that was so before the deadline.
    private func waitForInput() -> Bool {
        while deadline?.failure == nil {
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&input, 1, deadline == nil ? -1 : 50) > 0 { return true }
        }
        return false
    }
}
