// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A change of an account by its user or by a link, for an audit log and for metrics. It prints without the name of the account, and
/// contains no secret.
public struct AccountEvent: Sendable, Hashable, CustomStringConvertible {
    /// What proved that a change is the user's.
    public enum Proof: Sendable, Hashable {
        /// The old password, with the second step of the account, in a session.
        case oldPassword
        /// A link of ``LoginService/accountLink(_:forAccountNamed:lifetime:at:)``.
        case link
    }

    /// What happened. Later versions may add kinds.
    public enum Kind: Sendable, Hashable {
        /// The password was changed. All sessions of the user end.
        case passwordChanged(by: Proof)
        /// Someone with a session of the user sent a wrong password or code as proof.
        case wrongPassword
        /// A link was made.
        case linkMade(AccountLink.Purpose)

        /// One word for metrics, such as `passwordChanged`.
        public var word: String {
            switch self {
            case .passwordChanged: "passwordChanged"
            case .wrongPassword: "wrongPassword"
            case .linkMade: "linkMade"
            }
        }
    }

    /// What happened.
    public let kind: Kind

    /// The name of the account in the server's table.
    public let account: String

    /// The address of the client; `nil` if there is none, as for an operator.
    public let clientAddress: String?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - account: The name of the account in the server's table.
    ///   - clientAddress: The address of the client.
    public init(_ kind: Kind, account: String, clientAddress: String? = nil) {
        self.kind = kind
        self.account = account
        self.clientAddress = clientAddress
    }

    /// The kind alone.
    public var description: String { "account \(kind.word)" }
}
