// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The secrets of webhooks. Prepared keys would save two blocks of SHA-256 per message, but stay in ordinary memory.
struct WebhookKeys: Sendable {
    private let secrets: [SecretBytes]

    /// Copies 1 to ``WebhookSignature/maximumSecretCount`` secrets, none of them empty, into guarded memory.
    init(_ secrets: [some SecretInput]) throws(SignatureError) {
        guard !secrets.isEmpty else { throw .invalidSecret("there is no secret for webhooks") }
        guard secrets.count <= WebhookSignature.maximumSecretCount else {
            throw .invalidSecret("more than \(WebhookSignature.maximumSecretCount) secrets for webhooks")
        }
        var copies: [SecretBytes] = []
        for secret in secrets {
            let isEmpty = secret.withSecretBytes { $0.isEmpty }
            guard !isEmpty else { throw .invalidSecret("a secret for webhooks is empty") }
            do throws(SecretMemoryError) {
                copies.append(try SecretBytes(secret))
            } catch {
                throw .outOfMemory
            }
        }
        self.secrets = copies
    }

    /// Returns the code of a message under each secret, in their order.
    func codes(of message: Span<UInt8>, after prefix: String = "") -> [MessageDigest<32>] {
        var codes: [MessageDigest<32>] = []
        for secret in secrets { codes.append(Self.code(of: message, after: prefix, secret)) }
        return codes
    }

    /// Returns the code of a message under the first secret.
    func firstCode(of message: Span<UInt8>) -> MessageDigest<32>? {
        guard let first = secrets.first else { return nil }
        return Self.code(of: message, after: "", first)
    }

    /// Returns whether one of the signatures is the code of a message under one of the secrets. All are computed and
    /// compared, whichever of them matches.
    func isSigned(
        _ message: Span<UInt8>,
        after prefix: String = "",
        by signatures: [MessageDigest<32>]
    ) -> Bool {
        var isValid = false
        for code in codes(of: message, after: prefix) {
            for signature in signatures {
                let isMatch = signature == code
                isValid = isMatch || isValid
            }
        }
        return isValid
    }

    private static func code(
        of message: Span<UInt8>,
        after prefix: String,
        _ secret: SecretBytes
    ) -> MessageDigest<32> {
        var code = HMAC<SHA256>(key: HMAC<SHA256>.Key(secret))
        prefix.withSecretBytes { code.update($0) }
        code.update(message)
        return code.finalizeAndWipe()
    }
}
