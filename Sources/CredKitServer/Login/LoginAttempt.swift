// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// What a client sent to log in. It prints without its content.
public struct LoginAttempt: Sendable, CustomStringConvertible, CustomReflectable {
    /// The posted user name, in the form that the user table compares: see ``RateLimiter``.
    public var username: String

    /// What the client sent to prove that it is the user, as the mechanism defines it: a password, a proof, or a message
    /// with several parts. It may be any bytes.
    public var response: any SecretInput & Sendable

    /// The address of the client: see ``ClientAddress``.
    public var clientAddress: String

    /// The challenge that the client returned, if any. It may be any text.
    public var challenge: String?

    /// The code for a ``LoginSecondStep``, if the client sent one. It may be any text; an empty one is no code.
    public var code: String?

    /// Creates an attempt.
    ///
    /// - Parameters:
    ///   - username: The posted user name, in the form that the user table compares: see ``RateLimiter``.
    ///   - response: What the client sent to prove that it is the user.
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - challenge: The challenge that the client returned, if any.
    ///   - code: The code for a ``LoginSecondStep``, if the client sent one.
    public init(
        username: String,
        response: some SecretInput & Sendable,
        clientAddress: String,
        challenge: String? = nil,
        code: String? = nil
    ) {
        self.username = username
        self.response = response
        self.clientAddress = clientAddress
        self.challenge = challenge
        self.code = code
    }

    /// `‹login attempt›`, without its content.
    public var description: String { "‹login attempt›" }

    /// A mirror without children: dumping an attempt reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
