// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// HTTP Message Signatures, by [RFC 9421](https://www.rfc-editor.org/rfc/rfc9421).
///
/// A signature covers the components of a message that its signer names: the method, parts of the URL, fields. Content
/// is covered by its digest (``ContentDigest``), which is a field of the message. This request has a body:
///
/// ```swift
/// let key = try MessageSignature.SigningKey.hmacSHA256(secret)
/// let signer = try MessageSignature.Signer(
///     key: key,
///     keyID: "k1",
///     covering: [.method, .authority, .path, .query, .contentDigest]
/// )
/// request.fields.append(.init("Content-Digest", ContentDigest(of: body).fieldValue))
/// let fields = try signer.sign(.request(request))   // the values of Signature-Input and Signature
///
/// let verifier = try MessageSignature.Verifier(requiring: [.method, .authority, .path, .query, .contentDigest])
/// switch verifier.verify(received, key: { $0 == "k1" ? key.verificationKey : nil }) {
/// case .valid(let signature): …                     // remember signature.nonce until signature.validUntil
/// case .invalid(let refusal): log(refusal)          // without a reason for the peer
/// }
/// ContentDigest(fieldLines: lines)?.matches(body)   // the signature covers the digest alone
/// ```
///
/// A message that lacks a component cannot be signed with it. Without a body, leave `content-digest` out, or add the
/// digest of no bytes; a verifier requires it by ``Verifier/verify(_:alsoRequiring:at:key:)`` if there is content.
///
/// ## What remains to be done
/// A signature proves nothing about content unless it covers `content-digest`, and the content matches that digest. It
/// can be replayed unless each nonce is accepted once only. `@path` does not include the query. The signature of a response
/// can be moved to the response to another request unless it covers components of the request; see ``Response``.
///
/// ## Limits
/// Everything that a peer can send has a ceiling: ``maximumComponentCount``, ``maximumSignatureCount``,
/// ``maximumFieldByteCount``, ``maximumTextByteCount`` and ``maximumValueByteCount``. What exceeds one is refused.
public enum MessageSignature {
    /// The maximum number of components that a signature covers: 64.
    public static let maximumComponentCount = 64

    /// The maximum number of signatures of a message: 8.
    public static let maximumSignatureCount = 8

    /// The maximum length of the fields `Signature-Input`, `Signature` and `Accept-Signature` each, in bytes: 16,384.
    public static let maximumFieldByteCount = 16_384

    /// The maximum length of a label, a component's name, and of each parameter that is text, in bytes: 256.
    public static let maximumTextByteCount = 256

    /// The maximum length of all values that a signature covers, in bytes: 262,144. Fields count as they were received and
    /// as they are signed.
    public static let maximumValueByteCount = 262_144
}

extension MessageSignature {
    /// How signatures are computed. The raw value is the name in the registry of RFC 9421.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
        /// HMAC with SHA-256. Everyone who can verify a signature can make one.
        case hmacSHA256 = "hmac-sha256"
        /// EdDSA over the curve edwards25519.
        case ed25519 = "ed25519"
        /// ECDSA over the curve P-256, for verifying.
        case ecdsaP256SHA256 = "ecdsa-p256-sha256"
        /// ECDSA over the curve P-384, for verifying.
        case ecdsaP384SHA384 = "ecdsa-p384-sha384"
        /// RSASSA-PSS with SHA-512 and a salt of 64 bytes, for verifying.
        case rsaPSSSHA512 = "rsa-pss-sha512"
        /// RSASSA-PKCS1-v1_5 with SHA-256, for verifying.
        case rsaPKCS1SHA256 = "rsa-v1_5-sha256"
    }

    /// The minimum length of a key for HMAC, in bytes: 16. Use 32 random bytes.
    public static let minimumHMACKeyByteCount = 16
}

extension MessageSignature.Component {
    /// The components that are not fields (RFC 9421 §2.2). Finding the name once is faster than comparing it wherever the
    /// component is used.
    enum Derived: String {
        case method = "@method"
        case targetURI = "@target-uri"
        case authority = "@authority"
        case scheme = "@scheme"
        case requestTarget = "@request-target"
        case path = "@path"
        case query = "@query"
        case queryParameter = "@query-param"
        case status = "@status"

        init?(_ name: String) {
            // Other names are those of fields.
            guard name.utf8.first == UInt8(ascii: "@") else { return nil }
            self.init(rawValue: name)
        }
    }
}

extension MessageSignature.Parameters {
    /// All parameters that a signature can have, found in one pass: looking each of them up takes six.
    /// Nothing copies it, so that no text is counted twice.
    struct Known: ~Copyable {
        private(set) var created: UnixTime?
        private(set) var expires: UnixTime?
        private(set) var nonce: String?
        private(set) var algorithmName: String?
        private(set) var keyID: String?
        private(set) var tag: String?

        init(_ values: StructuredField.Parameters) {
            values.withEntries { entries in
                for index in entries.indices { set(entries[index].key, entries[index].value) }
            }
        }

        @inline(__always)
        private mutating func set(_ key: String, _ value: StructuredField.BareItem) {
            // The key first: taking the value out counts its text.
            switch true {
            case key.hasBytes(of: "created"): created = value.integerValue.map { UnixTime($0) }
            case key.hasBytes(of: "expires"): expires = value.integerValue.map { UnixTime($0) }
            case key.hasBytes(of: "nonce"): nonce = value.stringValue
            case key.hasBytes(of: "keyid"): keyID = value.stringValue
            case key.hasBytes(of: "alg"): algorithmName = value.stringValue
            case key.hasBytes(of: "tag"): tag = value.stringValue
            default: break
            }
        }
    }

    /// The parameters with their meaning.
    var known: Known { Known(values) }
}
