// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What stands in for a passkey that does not exist, so that a response of an unknown passkey needs the same work as one with a
/// wrong signature.
///
/// Its keys were made at random, and their private keys were thrown away. What they would accept is rejected all the same.
struct PasskeyStandIn: Sendable {
    private static let keys: [(algorithm: WebAuthn.Algorithm, key: [UInt8])] = [
        (
            .es256,
            "pQECAyYgASFYII7zpLrThZCRG4gKHk0l3A0hi2cN00L6Tci5SugM68znIlggKGd57pRw4qbA90k14ncaxSCD_890QpI8auG6xdbqunc"
        ),
        (.edDSA, "pAEBAycgBiFYILSe-YPw5A_vIGvrcJWZZy79WgotfZKy2yKqkzQeuIQB"),
        (
            .rs256,
            """
            pAEDAzkBACBZAQDDhbxfDP_WwyGejWKEW1BMoxyuY4bcyxzqyhoqd2OsnuPMg7U5ct_Ff5NfuyRG-CBRQgwPEfMPwHysHneA4HcZ\
            xSBgYyKjRw4vs8hcPLaUg0MFjt7TR0g5XEa0jikex2-32AC8i_GhIbQb0EUHXPJwAL2gu3BxQnfoS0VH1i0m8cqZA5LUA1WWxgP0\
            jkTKTELTj0FUWzCW_sIqr0mpBoZ5nmpWb5BKvazjlHrVTC8g887DL3A0AX9eo8IjC9hVv1o-nv39S4g7NRsFBwjcC8RduWBzoDUL\
            NhcmnBGXTVNPpVGzI6Ngc9D81umsWvWCzhprmSkVGIgaVKRHQIoki3IFIUMBAAE
            """
        ),
    ].map { ($0, (try? Base64.urlSafe.unpadded.decode($1)) ?? []) }

    private let records: [(algorithm: WebAuthn.Algorithm, record: WebAuthn.CredentialRecord)]

    init(for response: PasskeyAssertion.Response) {
        records = Self.keys.map { algorithm, key in
            (
                algorithm,
                WebAuthn.CredentialRecord(
                    id: response.credentialID,
                    publicKey: key,
                    userHandle: response.userHandle ?? [],
                    signCount: 0,
                    isUserVerificationInitialized: false,
                    isBackupEligible: false,
                    isBackedUp: false,
                    transports: [],
                    aaguid: [UInt8](repeating: 0, count: 16)
                )
            )
        }
    }

    /// The record in place of one that does not exist.
    var record: WebAuthn.CredentialRecord { records[0].record }

    /// The records with keys of the other kinds that are offered: each takes a different time.
    func records(besides record: WebAuthn.CredentialRecord) -> [WebAuthn.CredentialRecord] {
        let algorithm = record.algorithm
        return records.filter { $0.algorithm != algorithm }.map(\.record)
    }
}
