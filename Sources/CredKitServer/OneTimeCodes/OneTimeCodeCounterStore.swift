// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The storage in which a ``OneTimeCodeVerifier`` keeps the counters of HOTP: a column in the table of users. Keys with the
/// time (TOTP) do not need it.
///
/// A counter must survive a restart, otherwise used codes become valid again. Accounts are compared as UTF-8. Run
/// `OneTimeCodeCounterStoreSuite` of the module CredKitTesting against your own store.
public protocol OneTimeCodeCounterStore: Sendable {
    /// Returns the counter of the next code that an account may use.
    ///
    /// - Parameter account: The account.
    /// - Returns: The counter; `nil` if none was stored, which stands for the counter of the key.
    /// - Throws: Any error that kept the store from answering. ``OneTimeCodeVerifier`` wraps it.
    func counter(of account: String) async throws -> UInt64?

    /// Stores a counter if it is greater than the stored one, in one atomic operation: `UPDATE … SET counter = $1 WHERE
    /// account = $2 AND counter < $1`. If several calls store the same counter at the same time, in all processes, exactly
    /// one gets `true`.
    ///
    /// - Parameters:
    ///   - counter: The counter.
    ///   - account: The account.
    /// - Returns: Whether it was stored.
    /// - Throws: Any error that kept the store from answering.
    func advance(to counter: UInt64, of account: String) async throws -> Bool
}
