// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The proof key of one authorization code (PKCE, [RFC 7636](https://www.rfc-editor.org/rfc/rfc7636)): a thief of the code
/// cannot use it without.
struct CodeVerifier: Sendable {
    /// The secret: 43 characters of base64url. It goes to the token endpoint alone.
    let secret: SecretBytes

    /// What the authorization endpoint gets, by the method `S256`. It does not reveal the secret.
    var challenge: String {
        secret.withSecretBytes { Base64.urlSafe.unpadded.encode(Array(SHA256.hash(data: $0))) }
    }
}

extension CodeVerifier {
    /// Creates one of 32 random bytes.
    init() throws(ClientError) {
        do throws(SecretMemoryError) {
            let bytes = try SecretBytes(randomByteCount: 32)
            secret = try SecretBytes(capacity: 43) { output in
                bytes.withSecretBytes { Base64.urlSafe.unpadded.encode($0, into: &output) }
            }
        } catch {
            throw .outOfMemory
        }
    }
}
