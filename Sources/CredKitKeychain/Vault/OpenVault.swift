// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// A vault that is unlocked: its key and its items.
struct OpenVault: Sendable {
    var header: VaultHeader
    /// The header as it stands in the file: as long as the file begins with it, nothing has changed.
    var headerBytes: [UInt8]
    var key: SecretBytes
    var payload: VaultPayload

    /// A new vault without items or slots, which is yet to be saved.
    init() throws(KeychainError) {
        let identifier = SecureRandom.bytes(count: VaultHeader.identifierByteCount)
        key = try .random()
        let keyCheck = try VaultHeader.keyCheck(of: key, identifier: identifier)
        header = VaultHeader(identifier: identifier, keyCheck: keyCheck, slots: [])
        headerBytes = []
        payload = try .empty()
    }

    /// Opens what was read, with the vault's key.
    init(_ contents: VaultFile.Contents, key: SecretBytes) throws(KeychainError) {
        header = contents.header
        headerBytes = contents.headerBytes
        self.key = key
        let plaintext: SecretBytes
        let payloadKey = try header.payloadKey(key)
        do throws(CipherError) {
            plaintext = try AESGCM.open(
                contents.sealed.span,
                key: payloadKey,
                nonce: header.nonce,
                context: headerBytes
            )
        } catch .notAuthentic {
            throw .damaged("the vault is damaged: its key is right, but its items or its header were changed")
        } catch {
            throw .outOfMemory
        }
        payload = try VaultPayload(opened: plaintext)
    }

    /// The parts of a new file with these items, sealed under a key of its own; this becomes what stands in it.
    mutating func seal(generation: UInt64) throws(KeychainError) -> [[UInt8]] {
        header.generation = generation
        header.salt = SecureRandom.bytes(count: VaultHeader.saltByteCount)
        header.nonce = SecureRandom.bytes(count: AESGCM.nonceByteCount)
        header.sealedByteCount = payload.plaintext.count + AESGCM.tagByteCount
        headerBytes = header.bytes
        guard headerBytes.count <= VaultLimits.headerByteCount else {
            throw .overLimit("the vault's key slots take more than \(VaultLimits.headerByteCount) bytes")
        }
        let payloadKey = try header.payloadKey(key)
        do throws(CipherError) {
            let sealed = try AESGCM.seal(
                payload.plaintext,
                key: payloadKey,
                nonce: header.nonce,
                context: headerBytes
            )
            return [headerBytes, sealed]
        } catch {
            throw .outOfMemory
        }
    }

    /// Takes another key. The slots are those of the old one until they are made anew.
    mutating func replaceKey() throws(KeychainError) {
        key = try .random()
        header.keyCheck = try VaultHeader.keyCheck(of: key, identifier: header.identifier)
        header.slots = []
    }

    /// A slot of this vault's key.
    func slot(
        _ kind: KeySlot.Kind,
        identifier: [UInt8]? = nil,
        name: String,
        under secret: SecretBytes
    ) throws(KeychainError) -> KeySlot {
        guard name.utf8.count <= VaultLimits.slotNameByteCount else {
            throw .overLimit("a slot's name is longer than \(VaultLimits.slotNameByteCount) bytes")
        }
        return try KeySlot(
            kind: kind,
            identifier: identifier ?? SecureRandom.bytes(count: KeySlot.identifierByteCount),
            name: name,
            sealing: key,
            under: secret,
            vaultIdentifier: header.identifier
        )
    }
}

extension VaultHeader {
    /// The vault's key, if the secret opens a slot, and that slot. A key that does not pass the vault's check is the key
    /// of another one: its slot was put in here.
    func open(
        with secret: SecretSource.Secret,
        _ token: CallToken? = nil
    ) throws(KeychainError) -> (key: SecretBytes, slot: KeySlot)? {
        for slot in slots where slot.wants(secret) {
            // Each may cost seconds.
            try token?.check()
            if let key = try slot.open(with: secret.bytes, vaultIdentifier: identifier) {
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
    /// Whether a secret of this kind may open the slot.
    func wants(_ secret: SecretSource.Secret) -> Bool {
        switch kind {
        case .passphrase: secret.isPassphrase
        case .rawKey, .secretService: !secret.isPassphrase
        }
    }
}

extension SecretBytes {
    /// A new random key.
    static func random() throws(KeychainError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(randomByteCount: AESGCM.keyByteCount)
        } catch {
            throw .outOfMemory
        }
    }
}
