// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Reads authenticator data and attestation objects, and puts the data together again.
    static let authenticatorData = FuzzTarget("authenticator-data") { bytes in
        if let object = try? WebAuthn.AttestationObject(parsing: bytes) {
            try check(object.authenticatorData, of: object.authenticatorDataBytes)
        }
        guard let data = try? WebAuthn.AuthenticatorData(parsing: bytes) else { return }
        try check(data, of: bytes)
    }

    private static func check(_ data: WebAuthn.AuthenticatorData, of bytes: [UInt8]) throws {
        try require(37...4_096 ~= bytes.count, "the length is within its limits")
        let counter = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: data.signCount >> $0) }
        var parts = data.relyingPartyIDHash + [data.flags.rawValue] + counter
        try requireEqual(
            data.attestedCredential != nil,
            data.flags.rawValue & 0x40 != 0,
            "a flag announces a credential"
        )
        if let credential = data.attestedCredential {
            let count = credential.id.count
            try require(1...1_023 ~= count && credential.aaguid.count == 16, "an identifier has its length")
            parts += credential.aaguid + [UInt8(count / 256), UInt8(count % 256)] + credential.id
            parts += credential.publicKey
            _ = try? COSEKey(parsing: credential.publicKey)
        }
        if data.flags.rawValue & 0x80 != 0 {
            let extensions = try? CBORReader.value(of: Array(bytes.dropFirst(parts.count)))
            try require(extensions?.map != nil, "extensions are a map")
            parts += Array(bytes.dropFirst(parts.count))
        }
        try requireEqual(parts, bytes, "the parts are the whole input")
    }
}
