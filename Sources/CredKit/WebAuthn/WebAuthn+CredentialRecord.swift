// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// What a server stores about a passkey: the
    /// [credential record](https://www.w3.org/TR/webauthn-3/#credential-record) of the Recommendation. Nothing in it is secret.
    public struct CredentialRecord: Sendable, Hashable {
        /// The identifier of the passkey, 1 to 1,023 bytes. No two records have the same, also of different users.
        public let id: [UInt8]

        /// The public key, in the form of COSE.
        public let publicKey: [UInt8]

        /// The user handle of the account.
        public let userHandle: [UInt8]

        /// The number of signatures that the authenticator has counted; 0 if it does not count, as with synced passkeys.
        public var signCount: UInt32

        /// Whether the authenticator has verified the user at least once.
        public var isUserVerificationInitialized: Bool

        /// Whether the passkey may be synced to other devices.
        public var isBackupEligible: Bool

        /// Whether the passkey was synced when it was last used.
        public var isBackedUp: Bool

        /// How the browser reaches the authenticator, such as `internal`, `hybrid` or `usb`. Later versions of browsers may
        /// have other words.
        public var transports: [String]

        /// The model of the authenticator or of the password manager, 16 bytes; zeros if it does not say. It is not verified.
        public let aaguid: [UInt8]

        /// Creates a record from what was stored.
        ///
        /// - Parameters:
        ///   - id: The identifier of the passkey.
        ///   - publicKey: The public key, in the form of COSE.
        ///   - userHandle: The user handle of the account.
        ///   - signCount: The number of signatures that the authenticator has counted.
        ///   - isUserVerificationInitialized: Whether the authenticator has verified the user at least once.
        ///   - isBackupEligible: Whether the passkey may be synced to other devices.
        ///   - isBackedUp: Whether the passkey was synced when it was last used.
        ///   - transports: How the browser reaches the authenticator.
        ///   - aaguid: The model of the authenticator, 16 bytes.
        public init(
            id: [UInt8],
            publicKey: [UInt8],
            userHandle: [UInt8],
            signCount: UInt32,
            isUserVerificationInitialized: Bool,
            isBackupEligible: Bool,
            isBackedUp: Bool,
            transports: [String],
            aaguid: [UInt8]
        ) {
            self.id = id
            self.publicKey = publicKey
            self.userHandle = userHandle
            self.signCount = signCount
            self.isUserVerificationInitialized = isUserVerificationInitialized
            self.isBackupEligible = isBackupEligible
            self.isBackedUp = isBackedUp
            self.transports = transports
            self.aaguid = aaguid
        }

        /// The algorithm of the public key; `nil` if it has none that is accepted. The key itself is not checked.
        package var algorithm: Algorithm? { try? COSEKey.members(of: publicKey).algorithm }

        /// The passkey as options name it.
        public var descriptor: CredentialDescriptor { CredentialDescriptor(id: id, transports: transports) }
    }
}
