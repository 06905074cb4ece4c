// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The settings of a ``PasskeyMechanism``.
public struct PasskeyConfiguration: Sendable {
    /// The time in which the user must answer the browser, from 30 to 600 seconds. Default: 5 minutes.
    public var lifetime = Duration.seconds(300)

    /// The maximum number of passkeys of an account, from 1 to 64. Default: 20.
    public var perAccountLimit = 20

    /// Whether a user with passkeys must take a second step after a password: with a passkey, or with a code if the user has set
    /// up codes. If it is off, the password alone is enough for users without codes, unless their account requires a passkey.
    /// Default: on.
    ///
    /// Clients without a page, such as those of SCRAM or of HTTP's Basic authentication, can take the second step only with a
    /// code.
    public var asksUsersWithPasskeys = true

    /// Whether accounts whose credential is ``StoredCredential/unusable`` can log in with a passkey. Turn it on if users remove
    /// their passwords; an account is then locked by removing its passkeys too. Default: off, so that `!` in place of a hash
    /// locks an account.
    public var acceptsAccountsWithoutPassword = false

    /// The authenticators that browsers should suggest, the preferred one first. Default: none.
    public var hints: [WebAuthn.Hint] = []

    /// Is called when something happened to a passkey, by the task of the request. It should return at once.
    public var onEvent: @Sendable (PasskeyEvent) -> Void = { _ in }

    /// Creates a configuration with the default values.
    public init() {}

    /// Throws if a value is outside its range.
    func check() throws(LoginServerError) {
        try LoginServerError.check("the lifetime of a ceremony", lifetime, in: .seconds(30) ... .seconds(600))
        try LoginServerError.check("the number of passkeys of an account", perAccountLimit, in: 1...64)
    }
}
