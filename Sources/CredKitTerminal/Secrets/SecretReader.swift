// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
package import CredKit
import CredKitKeychain
import Glibc

/// Reads a secret directly into guarded memory: from a terminal without echo, from any other source to its end.
package final class SecretReader {
    /// The maximum size of a secret in bytes: enough for any key file, and a limit for descriptors that never end.
    package static let maximumByteCount = 1024 * 1024

    private let descriptor: Int32
    private let isOwned: Bool
    /// The name of the source in messages.
    private let name: String
    private let prompt: String

    /// Whether the source is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Creates a reader of the file if there is one, otherwise of the descriptor if there is one, otherwise of standard
    /// input.
    package init(file: FileArgument?, descriptor: Int32?, option: String, prompt: String) throws {
        self.prompt = prompt
        if let file, !file.isStandardInput {
            self.descriptor = open(
                file.bytes.map { CChar(bitPattern: $0) } + [0],
                O_RDONLY | O_CLOEXEC | O_NOCTTY
            )
            isOwned = true
            name = file.quoted
            guard self.descriptor >= 0 else {
                throw CommandFailure(.inputOutput, "\(name): \(SystemError.message(of: errno))")
            }
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
    package func readAll(keepsLineFeed: Bool) throws -> SecretBytes {
        let secret = isTerminal ? try ask(prompt) : try readToEnd()
        return keepsLineFeed ? secret : try secret.withoutTrailingNewline()
    }

    /// Reads a secret that is being set. A typing error would go unnoticed, so a terminal prompt asks twice.
    package func readNew(keepsLineFeed: Bool) throws -> SecretBytes {
        let secret = try readAll(keepsLineFeed: keepsLineFeed)
        guard isTerminal else { return secret }
        let again = try ask("Again: ")
        guard try (keepsLineFeed ? again : again.withoutTrailingNewline()) == secret else {
            throw CommandFailure(.malformed, "the two passwords differ; nothing was done")
        }
        return secret
    }

    private func ask(_ prompt: String) throws -> SecretBytes {
        try HiddenPrompt(input: descriptor, output: STDERR_FILENO).ask(prompt)
    }

    /// Reads to the end, even from a terminal.
    package func readToEnd() throws -> SecretBytes {
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
        let secret = try SecretBytes(capacity: capacity) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                start?.withSecretBytes { bytes in
                    for index in bytes.indices { buffer[index] = bytes[index] }
                    count = bytes.count
                }
                while count < buffer.count {
                    let step = Glibc.read(
                        descriptor,
                        buffer.baseAddress?.advanced(by: count),
                        buffer.count - count
                    )
                    if step > 0 {
                        count += step
                    } else if step == 0 {
                        return
                    } else if errno != EINTR {
                        errorNumber = errno
                        return
                    }
                }
            }
        }
        guard errorNumber == 0 else {
            throw CommandFailure(.inputOutput, "\(name): \(SystemError.message(of: errorNumber))")
        }
        return secret
    }
}
