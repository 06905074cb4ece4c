// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A public key as JSON, [RFC 7517](https://www.rfc-editor.org/rfc/rfc7517), with the members that it must have and no others.
package struct JSONWebKey: Sendable {
    /// The key. Its ``StrictJSON/text`` is what the thumbprint is computed of.
    package let json: StrictJSON

    /// Creates a key of any kind.
    ///
    /// - Parameter members: The members that the kind requires, and no others.
    package init(members: [String: String]) {
        json = .object(members.mapValues { .string($0) })
    }

    /// Returns the public half of a key for P-256.
    package init(_ key: P256.PrivateKey) {
        let (x, y) = (key.publicKey.dropFirst().prefix(32), key.publicKey.suffix(32))
        self.init(
            members: [
                "kty": "EC", "crv": "P-256", "x": Base64.urlSafe.unpadded.encode(x),
                "y": Base64.urlSafe.unpadded.encode(y),
            ]
        )
    }

    /// The thumbprint with SHA-256, in base64url: [RFC 7638](https://www.rfc-editor.org/rfc/rfc7638).
    package var thumbprint: String { Base64.urlSafe.unpadded.encode(SHA256.hash(data: json.text.utf8)) }
}
