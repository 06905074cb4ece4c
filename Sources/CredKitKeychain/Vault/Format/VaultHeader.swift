// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// The header of a vault's file, before the encrypted items. `docs/vault-format.md` describes every byte.
struct VaultHeader: Sendable, Equatable {
    static let magic = Array("CredKitV".utf8)
    static let version: UInt16 = 1
    static let identifierByteCount = 16
    static let saltByteCount = 32
    private static let checksumByteCount = 32
    /// The number of bytes that are needed to read the header's size.
    static let prefixByteCount = 16

    /// Identifies the vault throughout its life.
    let identifier: [UInt8]
    /// Incremented with each save.
    var generation: UInt64
    /// Verifies that a key is this vault's, without decrypting anything.
    var keyCheck: [UInt8]
    /// The salt of the payload key; new for each save, like the nonce.
    var salt: [UInt8]
    var nonce: [UInt8]
    /// The size of the encrypted items in bytes.
    var sealedByteCount: Int
    var slots: [KeySlot]

    /// Returns the check value of a key for a vault.
    static func keyCheck(of key: SecretBytes, identifier: [UInt8]) throws(KeychainError) -> [UInt8] {
        do throws(KeyDerivationError) {
            let check = try HKDF.deriveKey(
                from: key,
                salt: identifier,
                info: Array("CredKit vault 1 check".utf8)
            )
            return check.withSecretBytes { check in check.indices.map { check[$0] } }
        } catch {
            throw .outOfMemory
        }
    }

    /// Returns the key that encrypts the items of this save.
    func payloadKey(_ vaultKey: SecretBytes) throws(KeychainError) -> SecretBytes {
        do throws(KeyDerivationError) {
            return try HKDF.deriveKey(from: vaultKey, salt: salt, info: Array("CredKit vault 1 items".utf8))
        } catch {
            throw .outOfMemory
        }
    }

    /// The encoded header, with its checksum at the end.
    var bytes: [UInt8] {
        var body = ByteWriter()
        body.write(identifier)
        body.write(number: generation)
        body.write(keyCheck)
        body.write(salt)
        body.write(nonce)
        body.write(number: UInt64(sealedByteCount))
        body.write(number: UInt16(slots.count))
        for slot in slots { slot.write(to: &body) }

        var writer = ByteWriter()
        writer.write(Self.magic)
        writer.write(number: Self.version)
        writer.write(number: UInt16(0))
        writer.write(number: UInt32(Self.prefixByteCount + body.bytes.count + Self.checksumByteCount))
        writer.write(body.bytes)
        writer.write(SHA256.hash(data: writer.bytes))
        return writer.bytes
    }

    /// Returns the size of the header that a file begins with.
    static func byteCount(ofFileBeginning bytes: Span<UInt8>) throws(KeychainError) -> Int {
        var reader = ByteReader()
        guard bytes.count >= prefixByteCount, try reader.read(magic.count, of: bytes) == magic else {
            throw .damaged("the file is not a vault, or its beginning is damaged")
        }
        _ = try reader.skip(4, of: bytes)
        let count = try Int(reader.number(UInt32.self, of: bytes))
        guard (prefixByteCount + checksumByteCount...VaultLimits.headerByteCount).contains(count) else {
            throw .damaged("the vault is damaged: its header has an invalid size")
        }
        return count
    }

    /// Parses a whole header.
    init(_ whole: Span<UInt8>) throws(KeychainError) {
        let checkedByteCount = whole.count - Self.checksumByteCount
        guard try Self.byteCount(ofFileBeginning: whole) == whole.count else {
            throw .damaged("the vault is damaged: its header is truncated")
        }
        // The checksum has no key. It distinguishes damage from a wrong passphrase, but does not stop an attacker.
        let bytes = whole.extracting(..<checkedByteCount)
        guard SHA256.hash(data: bytes).bytes == (checkedByteCount..<whole.count).map({ whole[$0] }) else {
            throw .damaged("the vault is damaged: the checksum of its header is wrong")
        }
        var reader = ByteReader()
        _ = try reader.skip(Self.magic.count, of: bytes)
        let version = try reader.number(UInt16.self, of: bytes)
        guard version == Self.version else {
            throw .unsupported(
                "the vault has format \(version); this version of CredKit reads format \(Self.version)"
            )
        }
        guard try reader.number(UInt16.self, of: bytes) == 0 else { throw Self.malformed }
        _ = try reader.skip(4, of: bytes)
        identifier = try reader.read(Self.identifierByteCount, of: bytes)
        generation = try reader.number(of: bytes)
        keyCheck = try reader.read(AESGCM.keyByteCount, of: bytes)
        salt = try reader.read(Self.saltByteCount, of: bytes)
        nonce = try reader.read(AESGCM.nonceByteCount, of: bytes)
        guard let sealedByteCount = try Int(exactly: reader.number(UInt64.self, of: bytes)),
            (AESGCM.tagByteCount...VaultLimits.fileByteCount - whole.count).contains(sealedByteCount),
            generation > 0
        else { throw Self.malformed }
        self.sealedByteCount = sealedByteCount
        let slotCount = try Int(reader.number(UInt16.self, of: bytes))
        guard (1...VaultLimits.slotCount).contains(slotCount) else { throw Self.malformed }
        var slots: [KeySlot] = []
        for _ in 0..<slotCount { slots.append(try KeySlot(from: &reader, of: bytes)) }
        self.slots = slots
        guard reader.position == checkedByteCount, Set(slots.map(\.identifier)).count == slots.count else {
            throw Self.malformed
        }
    }

    /// Creates the header of a vault that is not saved yet.
    init(identifier: [UInt8], keyCheck: [UInt8], slots: [KeySlot]) {
        self.identifier = identifier
        self.keyCheck = keyCheck
        self.slots = slots
        generation = 0
        salt = []
        nonce = []
        sealedByteCount = 0
    }

    private static let malformed = KeychainError.damaged("the vault is damaged: its header is malformed")
}

extension VaultHeader {
    /// Returns the vault's key and the slot, if the secret opens a slot. A key that does not match the vault's key
    /// check belongs to another vault: its slot was inserted here.
    func open(
        with secret: UnlockSecret,
        _ budget: DerivationBudget
    ) throws(KeychainError) -> (key: SecretBytes, slot: KeySlot)? {
        let candidates = slots.filter { $0.wants(secret) }
        try budget.check(candidates)
        for slot in candidates {
            if let key = try slot.open(with: secret.bytes, vaultIdentifier: identifier, budget) {
                guard try VaultHeader.keyCheck(of: key, identifier: identifier) == keyCheck else {
                    throw .damaged("the vault is damaged: a key slot holds the key of another vault")
                }
                return (key, slot)
            }
        }
        return nil
    }
}

extension KeySlot {
    /// Returns whether a secret of this kind may open the slot.
    func wants(_ secret: UnlockSecret) -> Bool {
        switch kind {
        case .passphrase: secret.isPassphrase
        case .rawKey, .secretService: !secret.isPassphrase
        }
    }
}

extension KeySlot {
    var isForPassphrase: Bool { if case .passphrase = kind { true } else { false } }
}
