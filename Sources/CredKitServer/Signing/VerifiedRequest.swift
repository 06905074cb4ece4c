// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A request whose head is signed. Its content remains to be checked, with ``verifiedBody(_:limit:)`` or ``bodyCheck()``;
/// this includes checking that there is none.
public struct VerifiedRequest: Sendable, Hashable {
    /// The name of the key that signed the request.
    public let keyID: String
    /// The algorithm of the key.
    public let algorithm: MessageSignature.Algorithm
    /// The name of the signature, which is not signed.
    public let label: String
    /// What the signature covers, in order. Nothing else in the request is authentic.
    public let components: [MessageSignature.Component]
    /// When the signature was made.
    public let created: UnixTime
    /// The nonce, which is marked as used; `nil` if there is none, and the policy requires none.
    public let nonce: String?
    /// What the signature is for.
    public let tag: String?
    /// Whether content may follow.
    public let mayHaveContent: Bool

    private let digest: ContentDigest?

    init(_ signature: MessageSignature.Accepted, digest: ContentDigest?, mayHaveContent: Bool) {
        keyID = signature.keyID
        algorithm = signature.algorithm
        label = signature.label
        components = signature.components
        created = signature.created
        nonce = signature.nonce
        tag = signature.tag
        self.mayHaveContent = mayHaveContent
        self.digest = digest
    }

    /// Returns a check of the content, for content that is not collected in memory.
    ///
    /// - Returns: A check of no content so far.
    public func bodyCheck() -> BodyCheck { BodyCheck(mayHaveContent ? digest : nil) }
}
