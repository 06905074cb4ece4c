// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The key that the tokens of one login are bound to. It never leaves this computer.
struct DPoPKey: Sendable {
    /// The scheme of `Authorization` for tokens that are bound.
    static let tokenPrefix = "DPoP "
    /// The algorithm of proofs (RFC 7518, section 3.1). Servers name theirs, of which none is mandatory.
    static let algorithm = "ES256"

    private let key: P256.PrivateKey
    /// The first part of each proof.
    private let header: String
    private let digest: String

    private init(_ key: P256.PrivateKey) {
        self.key = key
        let publicKey = JSONWebKey(key)
        let header: StrictJSON = .object([
            "typ": .string("dpop+jwt"), "alg": .string(Self.algorithm), "jwk": publicKey.json,
        ])
        self.header = Base64.urlSafe.unpadded.encode(header.text.utf8)
        digest = publicKey.thumbprint
    }

    /// Makes the key of a new login.
    init() throws(ClientError) {
        let key: P256.PrivateKey?
        do throws(SecretMemoryError) {
            key = try P256.PrivateKey.random()
        } catch {
            throw .outOfMemory
        }
        guard let key else { throw .outOfMemory }
        self.init(key)
    }

    /// Restores a key; `nil` if the text is not one.
    init?(stored text: SecretBytes) {
        let bytes = text.withSecretBytes { text -> SecretBytes? in
            guard let bytes = try? Base64.standard.decode(text.indices.map { text[$0] }) else { return nil }
            return try? SecretBytes(bytes)
        }
        guard let bytes, let key = P256.PrivateKey(bytes) else { return nil }
        self.init(key)
    }

    /// Returns the key as text, because not every keychain supports arbitrary bytes.
    func stored() throws(ClientError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(
                key.bytes.withSecretBytes { bytes in
                    Base64.standard.encode(bytes.indices.map { bytes[$0] })
                }
            )
        } catch {
            throw .outOfMemory
        }
    }

    /// Returns the thumbprint of the public key (RFC 7638), by which servers name the key.
    func thumbprint() -> String { digest }

    /// Returns a signed token (JWS, RFC 7515) with claims.
    func sign(_ claims: StrictJSON) throws(ClientError) -> String {
        let content = "\(header).\(Base64.urlSafe.unpadded.encode(claims.text.utf8))"
        let signature = content.utf8.withContiguousSpan { key.sign($0) }
        guard let signature else { throw .outOfMemory }
        return "\(content).\(Base64.urlSafe.unpadded.encode(signature))"
    }
}
