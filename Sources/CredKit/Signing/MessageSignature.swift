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
