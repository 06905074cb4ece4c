// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// The key with which signatures by unknown keys are verified, so that they take as long as wrong signatures by known keys:
/// the time does not tell which keys exist. What is valid under it is not accepted.
///
/// It is the last key that was found, so that it has its algorithm and size; a random one for HMAC before that.
struct UnknownKeyDecoy: Sendable {
    private let last: Lock<MessageSignature.VerificationKey>

    init() throws(LoginServerError) {
        do {
            last = Lock(try .hmacSHA256(SecretBytes(randomByteCount: 32)))
        } catch {
            throw .outOfMemory
        }
    }

    var key: MessageSignature.VerificationKey { last.withLock { $0 } }

    /// Takes as long as a key from now on.
    func imitate(_ key: MessageSignature.VerificationKey) { last.withLock { $0 = key } }
}
