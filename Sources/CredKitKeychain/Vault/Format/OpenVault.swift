// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// An unlocked vault: its key and its items.
struct OpenVault: Sendable {
    var header: VaultHeader
    /// The header as stored in the file: while the file begins with it, the vault has not changed.
    var headerBytes: [UInt8]
    var key: SecretBytes
    var payload: VaultPayload

    /// Creates a vault without items or slots, which is not saved yet.
    init() throws(KeychainError) {
        let identifier = SecureRandom.bytes(count: VaultHeader.identifierByteCount)
        key = try .random()
        let keyCheck = try VaultHeader.keyCheck(of: key, identifier: identifier)
        header = VaultHeader(identifier: identifier, keyCheck: keyCheck, slots: [])
        headerBytes = []
        payload = try .empty()
    }

    private init(header: VaultHeader, headerBytes: [UInt8], key: SecretBytes, payload: VaultPayload) {
        self.header = header
        self.headerBytes = headerBytes
        self.key = key
        self.payload = payload
    }

    /// Decrypts the content of a file with the vault's key.
    static func decrypt(
        _ contents: VaultContents,
        key: SecretBytes
    ) throws(KeychainError) -> OpenVault {
        let plaintext: SecretBytes
        let payloadKey = try contents.header.payloadKey(key)
        do throws(CipherError) {
            plaintext = try AESGCM.open(
                contents.sealed.span,
                key: payloadKey,
                nonce: contents.header.nonce,
                context: contents.headerBytes
            )
        } catch .notAuthentic {
            throw .damaged(
                "the vault is damaged: the key is correct, but its items or its header were changed"
            )
        } catch {
            throw .outOfMemory
        }
        return OpenVault(
            header: contents.header,
            headerBytes: contents.headerBytes,
            key: key,
            payload: try VaultPayload(opened: plaintext)
        )
    }

    /// Encrypts the items with a new payload key, and returns the parts of the new file. Updates the header of this
    /// value.
    mutating func seal(generation: UInt64) throws(KeychainError) -> [[UInt8]] {
        header.generation = generation
        header.salt = SecureRandom.bytes(count: VaultHeader.saltByteCount)
        header.nonce = SecureRandom.bytes(count: AESGCM.nonceByteCount)
        header.sealedByteCount = payload.memory.count + AESGCM.tagByteCount
        headerBytes = header.bytes
        guard headerBytes.count <= VaultLimits.headerByteCount else {
            throw .overLimit("the vault's key slots take more than \(VaultLimits.headerByteCount) bytes")
        }
        let payloadKey = try header.payloadKey(key)
        do throws(CipherError) {
            let sealed = try AESGCM.seal(
                payload.memory,
                key: payloadKey,
                nonce: header.nonce,
                context: headerBytes
            )
            return [headerBytes, sealed]
        } catch {
            throw .outOfMemory
        }
    }

    /// Replaces the vault's key by a new random one, and removes all slots, which contain the old key.
    mutating func replaceKey() throws(KeychainError) {
        key = try .random()
        header.keyCheck = try VaultHeader.keyCheck(of: key, identifier: header.identifier)
        header.slots = []
    }

    /// Creates a slot that contains this vault's key. With a passphrase, this derives a key by Argon2id.
    func slot(
        _ kind: KeySlot.Kind,
        identifier: [UInt8]? = nil,
        name: String,
        under secret: SecretBytes,
        _ budget: DerivationBudget
    ) throws(KeychainError) -> KeySlot {
        guard name.utf8.count <= VaultLimits.slotNameByteCount else {
            throw .overLimit("a slot's name is longer than \(VaultLimits.slotNameByteCount) bytes")
        }
        return try KeySlot.seal(
            key,
            under: secret,
            kind: kind,
            identifier: identifier ?? SecureRandom.bytes(count: KeySlot.identifierByteCount),
            name: name,
            vaultIdentifier: header.identifier,
            budget
        )
    }
}

extension SecretBytes {
    /// Creates a random key.
    static func random() throws(KeychainError) -> SecretBytes {
        try convertingMemory(SecretBytes(randomByteCount: AESGCM.keyByteCount))
    }
}
