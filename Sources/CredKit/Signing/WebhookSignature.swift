// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Signatures of webhooks: a server that calls another one proves with HMAC-SHA-256 that it knows a shared secret.
///
/// | type | headers | signed |
/// |---|---|---|
/// | ``Standard`` | `webhook-id`, `webhook-timestamp`, `webhook-signature` | identifier, time and body |
/// | ``Stripe`` | `Stripe-Signature` | time and body |
/// | ``GitHub`` | `X-Hub-Signature-256` | the body |
///
/// Prefer ``Standard``, whose signatures expire and name the event. All accept several secrets, so that a secret can be replaced without an
/// interruption: a receiver accepts a signature with any of them.
///
/// Pass all headers of the request. A verifier reads its own, in any case, and refuses repeated ones. `HTTPHeaders` of
/// SwiftNIO and Vapor can be passed as it is.
///
/// Verify the body exactly as it was received. JSON that was parsed and written again has other bytes. Limit the length of
/// a body before you read it: each secret costs a computation over all of it.
public enum WebhookSignature {
    /// The maximum number of secrets of a signer or verifier.
    public static let maximumSecretCount = 8

    /// Why a webhook is rejected. Later versions may add reasons.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// The reason as text, without a part of the webhook.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// A required header is missing.
        public static let missingHeader = Reason("a header of the signature is missing")
        /// A header of the signature occurs more than once.
        public static let repeatedHeader = Reason("a header of the signature is repeated")
        /// A header is longer than the format allows, or contains too many signatures.
        public static let limitExceeded = Reason(
            "a header of the signature is too long or has too many signatures"
        )
        /// The identifier is empty, or contains other characters than visible ASCII without a full stop.
        public static let malformedID = Reason("the identifier is malformed")
        /// The time is not a number of seconds.
        public static let malformedTimestamp = Reason("the time is malformed")
        /// The signature does not have the form that its version requires.
        public static let malformedSignature = Reason("the signature is malformed")
        /// All signatures have a version other than `v1`.
        public static let unsupportedVersion = Reason("no signature has a supported version")
        /// The time is further in the past than the tolerance.
        public static let expired = Reason("the time is too far in the past")
        /// The time is further in the future than the tolerance.
        public static let inFuture = Reason("the time is too far in the future")
        /// No secret has made any of the signatures for this webhook.
        public static let mismatch = Reason("no signature matches")
    }
}

extension WebhookSignature {
    /// A webhook that must be rejected.
    struct Rejection: Error {
        let reason: Reason
    }

    /// Returns the values of headers, each of which must occur exactly once: servers differ in which of several they read.
    ///
    /// - Parameters:
    ///   - names: The names, in any case.
    ///   - headers: All headers of the request, in any case.
    /// - Returns: One value for each name, in the order of the names.
    /// - Throws: A rejection if a header is missing or repeated.
    static func values(
        of names: [String],
        in headers: some Sequence<(name: String, value: String)>
    ) throws(Rejection) -> [String] {
        var found = [String?](repeating: nil, count: names.count)
        for (name, value) in headers {
            guard let index = names.firstIndex(where: { areSame($0, name) }) else { continue }
            guard found[index] == nil else { throw Rejection(reason: .repeatedHeader) }
            found[index] = value
        }
        let values = found.compactMap(\.self)
        guard values.count == names.count else { throw Rejection(reason: .missingHeader) }
        return values
    }

    /// Returns whether two names of headers are the same. The case of ASCII letters does not matter.
    private static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy {
                MessageSignature.lowercased($0) == MessageSignature.lowercased($1)
            }
    }
}
