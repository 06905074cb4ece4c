// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitKeychain

extension FuzzTarget {
    /// Feeds whole vault files: any bytes to the parser of their parts, and files that are encrypted and authentic, with
    /// other slots and any plaintext, to the importer of archives.
    static let vaultFile = FuzzTarget("vault-file") { bytes in
        var input = FuzzInput(bytes)
        let mode = input.byte()
        guard mode & 3 != 0 else {
            // Without a key: a header may state costs of seconds.
            let header = VaultHeaderProperties.repaired(input.remaining)
            _ = try? VaultHeader(header.span)
            let prefix = input.bytes(VaultHeader.prefixByteCount)
            _ = try? VaultHeader.byteCount(ofFileBeginning: prefix.span)
            return
        }
        let position = Int(input.byte()) << 8 | Int(input.byte())
        let plaintext = mode & 4 == 0 ? VaultPayloadProperties.padded(input.remaining) : input.remaining
        let file = try VaultFileMaker.shared.get().file(
            plaintext,
            isTruncated: mode & 3 == 2 && position.isMultiple(of: 3)
        )
        try VaultFileProperties.check(file, plaintext: plaintext, position: position, bits: mode >> 3)
    }
}

private enum VaultFileProperties {
    static func check(_ file: [UInt8], plaintext: [UInt8], position: Int, bits: UInt8) throws {
        let passphrase = try VaultFileMaker.shared.get().passphrase
        let decrypted = try? VaultArchive.decrypt(file, passphrase: passphrase)
        let payload = try? VaultPayload(opened: SecretBytes(plaintext))
        let isValid = payload.map { (try? $0.verify()) != nil } ?? false
        if let decrypted {
            try require(isValid, "only a verified payload is imported")
            try requireEqual(decrypted.count, payload?.count, "all items are imported")
            let expected = try payload?.credentials().map { CredentialImage($0) }
            try requireEqual(
                decrypted.map { CredentialImage($0) },
                expected,
                "the items are those of the plaintext"
            )
        }
        guard bits != 0 else { return }
        var changed = file
        changed[position % changed.count] ^= bits
        try require(
            !(isArchiveReadable(changed, passphrase)),
            "a change of byte \(position % changed.count) is detected"
        )
    }

    private static func isArchiveReadable(_ file: [UInt8], _ passphrase: SecretBytes) -> Bool {
        (try? VaultArchive.decrypt(file, passphrase: passphrase)) != nil
    }
}

/// Encrypts a plaintext into a file with one slot of the lowest cost.
struct VaultFileMaker: Sendable {
    static let shared = Result { try VaultFileMaker() }

    let passphrase: SecretBytes
    private let identifier = Array("0123456789abcdef".utf8)
    private let key: SecretBytes
    private let slot: KeySlot

    private init() throws {
        passphrase = try SecretBytes("correct horse")
        key = try SecretBytes(Array(repeating: 7, count: 32))
        slot = try KeySlot.seal(
            key,
            under: passphrase,
            kind: .passphrase(Argon2idCost(memory: .kibibytes(8), passes: 1)),
            identifier: identifier,
            name: "passphrase",
            vaultIdentifier: identifier,
            DerivationBudget(nil, nil)
        )
    }

    func file(_ plaintext: [UInt8], isTruncated: Bool) throws -> [UInt8] {
        let keyCheck = try VaultHeader.keyCheck(of: key, identifier: identifier)
        var header = VaultHeader(identifier: identifier, keyCheck: keyCheck, slots: [slot])
        header.generation = 1
        header.salt = Array(repeating: 3, count: VaultHeader.saltByteCount)
        header.nonce = Array(repeating: 5, count: AESGCM.nonceByteCount)
        header.sealedByteCount = plaintext.count + AESGCM.tagByteCount
        let sealed = try AESGCM.seal(
            SecretBytes(plaintext),
            key: header.payloadKey(key),
            nonce: header.nonce,
            context: header.bytes
        )
        return header.bytes + (isTruncated ? sealed.dropLast() : sealed)
    }
}
