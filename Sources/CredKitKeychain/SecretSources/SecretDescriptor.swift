// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import Glibc

/// Reads secrets from descriptors directly into guarded memory.
enum SecretDescriptor {
    /// Reads to the end, but waits no longer than until the token's deadline. Reads at most one byte more than the
    /// largest key, so that a longer secret is detected.
    static func readAll(
        _ number: Int32,
        named name: String,
        _ token: CancellationToken
    ) throws(KeychainError) -> SecretBytes {
        let limit = VaultLimits.rawKeyByteCount.upperBound + 1
        var secret = try append(number, named: name, to: nil, capacity: 4096, token)
        var capacity = 4096
        while secret.count == capacity && capacity < limit {
            capacity = min(capacity * 8, limit)
            secret = try append(number, named: name, to: secret, capacity: capacity, token)
        }
        return secret
    }

    /// Continues reading until the end, or until the secret has `capacity` bytes.
    private static func append(
        _ number: Int32,
        named name: String,
        to start: SecretBytes?,
        capacity: Int,
        _ token: CancellationToken
    ) throws(KeychainError) -> SecretBytes {
        var failure: KeychainError?
        let secret: SecretBytes
        do throws(SecretMemoryError) {
            secret = try SecretBytes(capacity: capacity) { output in
                start?.withSecretBytes { output.append(contentsOf: $0) }
                unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                    while count < buffer.count {
                        if let error = waitForInput(number, named: name, token) {
                            failure = error
                            return
                        }
                        let step = unsafe read(
                            number,
                            buffer.baseAddress?.advanced(by: count),
                            buffer.count - count
                        )
                        if step == 0 { return }
                        if step > 0 {
                            count += step
                        } else if errno != EINTR && errno != EAGAIN {
                            failure = .system(errno, "cannot read \(name)")
                            return
                        }
                    }
                }
            }
        } catch {
            throw .outOfMemory
        }
        if let failure { throw failure }
        return secret
    }

    private static func waitForInput(_ number: Int32, named name: String, _ token: CancellationToken)
        -> KeychainError?
    {
        while true {
            do throws(KeychainError) {
                try token.check()
            } catch {
                return error == .timedOut ? .timedOut("timed out reading \(name)") : error
            }
            var input = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&input, 1, 50) != 0 { return nil }
        }
    }
}
