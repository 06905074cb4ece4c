// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// What the authenticator says about a ceremony, and signs
    /// ([§6.1](https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data)).
    struct AuthenticatorData: Sendable {
        /// What the authenticator claims. The bits without a name are reserved, and ignored.
        struct Flags: OptionSet, Sendable {
            let rawValue: UInt8

            static let userPresent = Self(rawValue: 0x01)
            static let userVerified = Self(rawValue: 0x04)
            static let backupEligible = Self(rawValue: 0x08)
            static let backedUp = Self(rawValue: 0x10)
            static let attestedCredential = Self(rawValue: 0x40)
            static let extensions = Self(rawValue: 0x80)
        }

        /// A new credential.
        struct AttestedCredential: Sendable {
            let aaguid: [UInt8]
            let id: [UInt8]
            /// The public key, in the form of COSE.
            let publicKey: [UInt8]
        }

        let relyingPartyIDHash: [UInt8]
        let flags: Flags
        let signCount: UInt32
        let attestedCredential: AttestedCredential?

        /// Parses authenticator data. Extensions must be well-formed, and are ignored.
        init(parsing bytes: [UInt8]) throws(Error) {
            try WebAuthn.check(
                bytes,
                "the authenticator data",
                maximumByteCount: maximumAuthenticatorDataByteCount
            )
            guard bytes.count >= Self.fixedByteCount else {
                throw .malformedAuthenticatorData("it is too short")
            }
            relyingPartyIDHash = Array(bytes[..<32])
            flags = Flags(rawValue: bytes[32])
            signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
            var position = Self.fixedByteCount
            attestedCredential =
                try flags.contains(.attestedCredential) ? Self.credential(in: bytes, at: &position) : nil
            if flags.contains(.extensions) {
                guard try Self.value(in: bytes, at: &position).map != nil else {
                    throw .malformedAuthenticatorData("the extensions are not a map")
                }
            }
            guard position == bytes.count else {
                throw .malformedAuthenticatorData("there are bytes behind the data")
            }
        }

        /// The length of what is always there: the digest of the RP ID, the flags and the counter.
        private static let fixedByteCount = 37

        private static func credential(
            in bytes: [UInt8],
            at position: inout Int
        ) throws(Error) -> AttestedCredential {
            let start = position + 18
            guard bytes.count >= start else { throw .malformedAuthenticatorData("it ends in the credential") }
            let aaguid = Array(bytes[position..<position + 16])
            let count = Int(bytes[start - 2]) << 8 | Int(bytes[start - 1])
            guard credentialIDByteCounts.contains(count) else { throw .invalidCredentialID }
            guard bytes.count - start >= count else {
                throw .malformedAuthenticatorData("it ends in the identifier of the credential")
            }
            let key = start + count
            position = key
            _ = try value(in: bytes, at: &position)
            return AttestedCredential(
                aaguid: aaguid,
                id: Array(bytes[start..<key]),
                publicKey: Array(bytes[key..<position])
            )
        }

        /// Reads a value of CBOR, whose length is known only then.
        private static func value(in bytes: [UInt8], at position: inout Int) throws(Error) -> CBORValue {
            var reader = CBORReader(bytes, at: position)
            do throws(CBORReader.Failure) {
                let value = try reader.value()
                position = reader.position
                return value
            } catch {
                throw .malformedAuthenticatorData(error.rawValue)
            }
        }

        /// Throws unless the data are for a relying party, and the user did what is demanded.
        func check(for relyingParty: RelyingParty, _ verification: UserVerification) throws(Error) {
            guard relyingPartyIDHash.elementsEqual(relyingParty.idHash) else { throw .wrongRelyingParty }
            guard flags.contains(.userPresent) else { throw .userNotPresent }
            guard verification != .required || flags.contains(.userVerified) else { throw .userNotVerified }
            guard !flags.contains(.backedUp) || flags.contains(.backupEligible) else {
                throw .invalidBackupState
            }
        }
    }
}
