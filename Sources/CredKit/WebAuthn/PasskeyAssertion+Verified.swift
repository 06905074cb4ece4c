// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasskeyAssertion {
    /// A response that fulfils all that was expected of it.
    public struct Verified: Sendable, Hashable {
        /// The record with the new counter and the new state of the passkey. Store it only if the stored one is still the
        /// record that was verified: otherwise two logins at once could pass with one counter.
        public let record: WebAuthn.CredentialRecord

        /// Whether the authenticator has verified the user this time.
        public let isUserVerified: Bool

        /// Whether the passkey may now be synced and could not before, or the other way around. Authenticators should not
        /// change it, and some do: write it to the log.
        public let hasBackupEligibilityChanged: Bool

        /// Whether the counter of a synced passkey did not increase. Write it to the log.
        public let hasCounterGoneBack: Bool
    }
}
