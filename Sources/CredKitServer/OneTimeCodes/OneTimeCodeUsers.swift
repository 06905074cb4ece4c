// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The keys of one-time codes in the table of users, for a ``OneTimeCodeSecondStep``.
///
/// Names are those of ``LoginAccount/name``. Keys are secrets that make codes: encrypt them in the table.
public protocol OneTimeCodeUsers: Sendable {
    /// Returns what is stored for a user.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The key and the drift; `nil` if the user has set up no codes, and needs none.
    /// - Throws: Any error. No user is logged in then.
    func oneTimeCode(ofAccountNamed name: String) async throws -> OneTimeCodeUser?

    /// Stores the drift of a user's device. By default nothing is stored.
    ///
    /// - Parameters:
    ///   - drift: How many periods the clock of the device is ahead; see ``OneTimeCodeVerifier``.
    ///   - name: The name of the account.
    /// - Throws: Any error, which is ignored.
    func setDrift(_ drift: Int, ofAccountNamed name: String) async throws

    /// Deletes the key of a recovery code in one atomic operation; see ``RecoveryCodes``. By default there are none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - name: The name of the account.
    /// - Returns: Whether it was there. If several calls delete the same key at the same time, exactly one gets `true`.
    /// - Throws: Any error. No user is logged in then.
    func consumeRecoveryCode(_ key: StoreKey, ofAccountNamed name: String) async throws -> Bool
}

extension OneTimeCodeUsers {
    /// Stores nothing.
    public func setDrift(_: Int, ofAccountNamed _: String) async throws {}

    /// There are no recovery codes.
    public func consumeRecoveryCode(_: StoreKey, ofAccountNamed _: String) async throws -> Bool { false }
}

/// The one-time codes of a user.
public struct OneTimeCodeUser: Sendable {
    /// The key.
    public var key: OneTimeCodeKey

    /// How many periods the clock of the user's device is ahead, as it was stored last; 0 if it was not.
    public var drift: Int

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - drift: How many periods the clock of the user's device is ahead.
    public init(key: OneTimeCodeKey, drift: Int = 0) {
        self.key = key
        self.drift = drift
    }
}
