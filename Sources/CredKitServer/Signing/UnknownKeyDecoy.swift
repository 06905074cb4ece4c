// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// Verifies signatures by unknown keys with a key that nothing was ever signed with, so that they take as long as wrong
/// signatures by known keys: the time does not tell which keys exist.
///
/// It imitates the algorithm of the last key that was found. Public keys of all algorithms take a time of the same order.
struct UnknownKeyDecoy: Sendable {
    private let secretKey: MessageSignature.VerificationKey
    private let publicKey: MessageSignature.VerificationKey
    private let algorithm = Lock(MessageSignature.Algorithm.hmacSHA256)

    init() throws(LoginServerError) {
        do {
            secretKey = try .hmacSHA256(SecretBytes(randomByteCount: 32))
            publicKey = try MessageSignature.SigningKey.ed25519(SecretBytes(randomByteCount: 32))
                .verificationKey
        } catch {
            throw .outOfMemory
        }
    }

    /// Takes as long as an algorithm from now on.
    func imitate(_ algorithm: MessageSignature.Algorithm) { self.algorithm.withLock { $0 = algorithm } }

    /// Verifies the signatures of a message by some keys. The results mean nothing.
    func verify(_ message: MessageSignature.Message, keyIDs: [String]) {
        guard !keyIDs.isEmpty, let all = try? MessageSignature.Received.all(in: message) else { return }
        let algorithm = algorithm.withLock { $0 }
        let key = algorithm == .hmacSHA256 ? secretKey : publicKey
        for received in all {
            guard let input = try? received.input(), let keyID = input.parameters.keyID,
                keyIDs.contains(keyID),
                // With a known key, another `alg` ends the verification.
                input.parameters.algorithmName.map({ $0 == algorithm.rawValue }) ?? true,
                let base = try? input.signatureBase(of: message)
            else { continue }
            _ = key.isValid(received.signature.span, of: base.span)
        }
    }
}
