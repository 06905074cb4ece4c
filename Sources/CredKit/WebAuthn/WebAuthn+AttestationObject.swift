// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// A new credential, and what the authenticator says about itself
    /// ([§6.5](https://www.w3.org/TR/webauthn-3/#sctn-attestation)).
    struct AttestationObject: Sendable {
        /// The longest name of a format that the Recommendation allows.
        private static let maximumFormatByteCount = 32

        let format: String
        let statement: [CBORValue.Member]
        /// The authenticator data as they were signed.
        let authenticatorDataBytes: [UInt8]
        let authenticatorData: AuthenticatorData

        /// Parses an attestation object.
        init(parsing bytes: [UInt8]) throws(Error) {
            let members: [CBORValue.Member]
            do throws(CBORReader.Failure) {
                members = try CBORReader.value(of: bytes).map ?? []
            } catch {
                throw .malformedAttestationObject(error.rawValue)
            }
            guard members.count == 3, let format = members[.text("fmt")]?.text,
                let statement = members[.text("attStmt")]?.map, let data = members[.text("authData")]?.bytes
            else { throw .malformedAttestationObject("its members are not fmt, attStmt and authData") }
            guard format.utf8.count <= Self.maximumFormatByteCount else {
                throw .malformedAttestationObject("the name of its format is too long")
            }
            self.format = format
            self.statement = statement
            authenticatorDataBytes = data
            authenticatorData = try AuthenticatorData(parsing: data)
        }

        /// Throws unless there is no attestation, or that of the credential's own key.
        ///
        /// - Parameters:
        ///   - key: The public key of the credential.
        ///   - clientDataJSON: The client data as they were received.
        /// - Throws: `unsupportedAttestation` or `invalidAttestation`.
        func verify(key: COSEKey, clientDataJSON: [UInt8]) throws(Error) {
            switch format {
            case "none":
                guard statement.isEmpty else {
                    throw .invalidAttestation("the format 'none' has a statement")
                }
            case "packed":
                guard statement[.text("x5c")] == nil else {
                    throw .unsupportedAttestation("it has a certificate")
                }
                guard statement.count == 2, let algorithm = statement[.text("alg")]?.integer,
                    let signature = statement[.text("sig")]?.bytes
                else { throw .invalidAttestation("its members are not alg and sig") }
                guard algorithm == key.algorithm.rawValue else {
                    throw .invalidAttestation("its algorithm is not that of the passkey")
                }
                let signed = authenticatorDataBytes + SHA256.hash(data: clientDataJSON)
                guard key.isValid(signature, of: signed) else {
                    throw .invalidAttestation("its signature is wrong")
                }
            default: throw .unsupportedAttestation("its format is neither 'none' nor 'packed'")
            }
        }
    }
}
