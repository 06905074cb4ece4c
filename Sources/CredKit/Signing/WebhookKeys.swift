// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The prepared secrets of webhooks, which are wiped with the last copy.
struct WebhookKeys: Sendable {
    private let keys: [HMAC<SHA256>.Key]

    /// Prepares 1 to ``WebhookSignature/maximumSecretCount`` secrets, none of them empty.
    init(_ secrets: [some SecretInput]) throws(SignatureError) {
        guard !secrets.isEmpty else { throw .invalidSecret("there is no secret for webhooks") }
        guard secrets.count <= WebhookSignature.maximumSecretCount else {
            throw .invalidSecret("more than \(WebhookSignature.maximumSecretCount) secrets for webhooks")
        }
        var keys: [HMAC<SHA256>.Key] = []
        for secret in secrets {
            let isEmpty = secret.withSecretBytes { $0.isEmpty }
            guard !isEmpty else { throw .invalidSecret("a secret for webhooks is empty") }
            keys.append(HMAC<SHA256>.Key(secret))
        }
        self.keys = keys
    }

    /// Returns the code of a message under each secret, in their order.
    func codes(of message: Span<UInt8>, after prefix: String = "") -> [MessageDigest<32>] {
        var codes: [MessageDigest<32>] = []
        for key in keys {
            var code = HMAC<SHA256>(key: key)
            prefix.withSecretBytes { code.update($0) }
            code.update(message)
            codes.append(code.finalizeAndWipe())
        }
        return codes
    }

    /// Returns whether one of the signatures is the code of a message under one of the secrets. All are computed and
    /// compared, whichever of them matches.
    func verify(
        _ signatures: [MessageDigest<32>],
        of message: Span<UInt8>,
        after prefix: String = ""
    ) -> WebhookSignature.Verification {
        var isValid = false
        for code in codes(of: message, after: prefix) {
            for signature in signatures {
                let isMatch = signature == code
                isValid = isMatch || isValid
            }
        }
        return isValid ? .valid : .invalid(.mismatch)
    }
}
