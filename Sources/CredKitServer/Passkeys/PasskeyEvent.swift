// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Something that happened to a passkey, for an audit log and for metrics.
///
/// ```swift
/// configuration.onEvent = { event in
///     logger.notice("\(event)", metadata: event.account.map { ["account": "\($0)"] } ?? [:])
///     counter(event.kind.word).increment()
/// }
/// ```
///
/// It prints without the name of the account. It contains neither the name that the user gave the passkey nor its identifier.
public struct PasskeyEvent: Sendable, Hashable, CustomStringConvertible {
    /// What happened. Later versions may add words.
    public enum Kind: Sendable, Hashable {
        /// A passkey was added.
        case enrolled
        /// A login with a passkey was accepted.
        case used
        /// A passkey was removed.
        case removed
        /// The account requires a passkey from now on.
        case required
        /// The account no longer requires a passkey.
        case notRequired
        /// A passkey may be synced and could not before, or the other way around. Authenticators should not change it.
        case backupEligibilityChanged
        /// The counter of a passkey did not increase: it may have been copied. The login was refused unless the passkey can be
        /// synced.
        case counterWentBack
        /// The response of a browser was refused. The reason is the code of a `WebAuthn.Error`, or one of these words:
        /// `unknownPasskey`, `invalidCeremony` (not begun here or in this browser, or expired), `replayed`, `notAccepted` (the
        /// login was refused for another reason than the response).
        case refused(reason: String)

        /// One word for metrics, such as `used` or `refused`.
        public var word: String {
            switch self {
            case .enrolled: "enrolled"
            case .used: "used"
            case .removed: "removed"
            case .required: "required"
            case .notRequired: "notRequired"
            case .backupEligibilityChanged: "backupEligibilityChanged"
            case .counterWentBack: "counterWentBack"
            case .refused: "refused"
            }
        }
    }

    /// What happened.
    public let kind: Kind

    /// The name of the account in the server's table; `nil` if nothing proves that the response is one of its owner.
    public let account: String?

    /// ``PasskeyCredential/reference`` of the passkey; `nil` if it is not about a known one, or about all of an account.
    public let passkey: String?

    /// Creates an event, for tests.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - account: The name of the account in the server's table.
    ///   - passkey: The reference of the passkey.
    public init(_ kind: Kind, account: String? = nil, passkey: String? = nil) {
        self.kind = kind
        self.account = account
        self.passkey = passkey
    }

    /// The kind and the reference of the passkey.
    public var description: String {
        var text = "passkey \(kind.word)"
        if case .refused(let reason) = kind { text += " (\(reason))" }
        return passkey.map { "\(text): \($0)" } ?? text
    }
}
