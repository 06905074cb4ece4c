// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The outcome of a successful login.
public struct LoginOutcome: Sendable {
    /// The value of the header ``LoginProfile/tokenHeader`` in later requests; `nil` for the one that a response set.
    public var token: SecretBytes?

    /// How long the token is valid, from the time when the login began. The session then logs in again before it sends the
    /// next request, and does not wait for a response that says so. `nil` if that is unknown.
    public var lifetime: Duration?

    /// What the next login must use in place of the secret, which is used up: see ``LoginMechanism/replacesSecret``. The
    /// session stores it in the keychain before it uses anything else of the outcome. `nil` if the secret stays valid.
    public var newSecret: SecretBytes?

    /// How far the server's clock is ahead of UTC, to be remembered.
    var serverUTCOffset: Duration?

    /// The words of the profile's scope that the server did not grant.
    var missingScope: [String] = []

    /// When the request for the token was sent, if that was long after the login began.
    var start: UnixTime?

    /// Why the login failed although the secret is used up.
    var failure: ClientError?

    /// Why the tokens must be revoked instead of used.
    var downgrade: ClientError?

    /// Creates an outcome.
    ///
    /// - Parameters:
    ///   - token: The value of the header ``LoginProfile/tokenHeader`` in later requests; `nil` for the one that a response
    ///     set.
    ///   - lifetime: How long the token is valid; `nil` if that is unknown.
    ///   - newSecret: What the next login must use in place of the secret; `nil` if the secret stays valid.
    public init(token: SecretBytes? = nil, lifetime: Duration? = nil, newSecret: SecretBytes? = nil) {
        self.token = token
        self.lifetime = lifetime
        self.newSecret = newSecret
    }
}
