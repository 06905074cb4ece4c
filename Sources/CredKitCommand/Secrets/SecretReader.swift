// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Glibc

/// Reads a secret from a descriptor straight into guarded memory.
struct SecretReader {
    /// The largest secret in bytes: enough for any key file, and an end for a descriptor that has none.
    static let maximumByteCount = 1024 * 1024

    private let descriptor: Int32
    /// What messages call the source.
    private let name: String

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Reads a file to its end.
    static func readAll(of file: FileArgument) throws -> SecretBytes {
        if file.isStandardInput {
            return try SecretReader(descriptor: STDIN_FILENO, name: "standard input").readAll()
        }
        let descriptor = open(file.bytes.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw CommandFailure(.inputOutput, "\(file.quoted): \(SystemError.message(of: errno))")
        }
        defer { close(descriptor) }
        return try SecretReader(descriptor: descriptor, name: file.quoted).readAll()
    }

    /// Reads to the end.
    func readAll() throws -> SecretBytes {
        var capacity = 1024
        var secret = try read(after: nil, capacity: capacity)
        // A read that fills its memory leaves open whether there is more.
        while secret.count == capacity {
            guard capacity <= Self.maximumByteCount else {
                throw CommandFailure(
                    .malformed,
                    "\(name): longer than the \(Self.maximumByteCount) bytes that a password or key may have"
                )
            }
            capacity *= 4
            secret = try read(after: secret, capacity: capacity)
        }
        return secret
    }

    /// Reads on until the end or until the secret has `capacity` bytes.
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

extension SecretBytes {
    /// The same without one line feed at the end, if there is one: what `echo` and editors put there.
    func withoutTrailingNewline() throws -> SecretBytes {
        try withSecretBytes { bytes in
            guard bytes.count > 0, bytes[bytes.count - 1] == UInt8(ascii: "\n") else { return self }
            return try SecretBytes(capacity: bytes.count - 1) { output in
                for index in 0..<(bytes.count - 1) { output.append(bytes[index]) }
            }
        }
    }
}
