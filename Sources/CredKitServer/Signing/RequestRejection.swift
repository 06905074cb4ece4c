// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Why a request was rejected, for logs and metrics. Tell the client nothing of it: answer always the same.
public struct RequestRejection: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a reason. Later versions may add kinds.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the kind.
        public let rawValue: String

        /// Creates a kind.
        ///
        /// - Parameter rawValue: The name of the kind.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No signature is valid and meets the policy; ``RequestRejection/refusal`` says more.
        public static let invalidSignature = Code(rawValue: "invalidSignature")
        /// The signature covers `content-digest`, but the field has no digest by a known function, or is malformed.
        public static let uncheckableDigest = Code(rawValue: "uncheckableDigest")
        /// The content does not match its digest, or there must be none.
        public static let wrongDigest = Code(rawValue: "wrongDigest")
        /// The nonce was used before, or may have been.
        public static let replayed = Code(rawValue: "replayed")
    }

    /// The kind of the reason.
    public let code: Code

    /// Why no signature is valid; `nil` if one is.
    public let refusal: MessageSignature.Refusal?

    /// The name of the key. Nothing has verified it if the code is `invalidSignature`; `nil` if the signature was refused
    /// before its key was looked up. It is printable ASCII of at most 256 bytes, which a client chooses.
    public let keyID: String?

    init(_ code: Code, keyID: String) {
        self.code = code
        self.keyID = keyID
        refusal = nil
    }

    init(_ refusal: MessageSignature.Refusal, keyID: String?) {
        code = .invalidSignature
        // Other reasons may be those of another signature, for which no key was looked up.
        let isOfKey = [.unknownKey, .wrongAlgorithm, .invalidComponent, .invalidSignature].contains(
            refusal.code
        )
        self.keyID = isOfKey ? keyID : nil
        self.refusal = refusal
    }

    /// The reason for people, in a line of printable ASCII. The name of the key is shortened, and everything but letters,
    /// digits and `-._:/@` in it is replaced.
    public var description: String {
        guard let keyID else { return reason }
        return "\(reason) (key '\(Self.sanitized(keyID))')"
    }

    private var reason: String {
        switch code {
        case .uncheckableDigest: "the content has no digest that can be checked"
        case .wrongDigest: "the content does not match its digest"
        case .replayed: "the nonce was used before"
        default: refusal?.message ?? "the signature is invalid"
        }
    }

    /// Quotes, spaces and brackets in a name could pretend that a line of a log has other fields.
    private static func sanitized(_ name: String) -> String {
        let limit = 64
        let shortened = name.utf8.prefix(limit).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "?")
            }
        }
        return String(decoding: shortened, as: UTF8.self) + (name.utf8.count > limit ? "..." : "")
    }
}
