// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// One way to unlock a vault: the vault's key, encrypted with a passphrase or another key.
struct KeySlot: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case passphrase(Argon2idCost)
        case rawKey
        case secretService

        var number: UInt8 {
            switch self {
            case .passphrase: 1
            case .rawKey: 2
            case .secretService: 3
            }
        }
    }

    static let identifierByteCount = 16
    private static let sealedByteCount = AESGCM.keyByteCount + AESGCM.tagByteCount

    let kind: Kind
    let identifier: [UInt8]
    let name: String
    private let salt: [UInt8]
    private let nonce: [UInt8]
    private let sealedKey: [UInt8]

    private init(
        kind: Kind,
        identifier: [UInt8],
        name: String,
        salt: [UInt8],
        nonce: [UInt8],
        sealedKey: [UInt8]
    ) {
        self.kind = kind
        self.identifier = identifier
        self.name = name
        self.salt = salt
        self.nonce = nonce
        self.sealedKey = sealedKey
    }

    /// Encrypts a vault's key for a slot that a secret opens. A passphrase costs as much time and memory as the kind
    /// says.
    static func seal(
        _ vaultKey: SecretBytes,
        under secret: SecretBytes,
        kind: Kind,
        identifier: [UInt8],
        name: String,
        vaultIdentifier: [UInt8],
        _ budget: DerivationBudget
    ) throws(KeychainError) -> KeySlot {
        let salt = SecureRandom.bytes(count: Argon2.saltByteCount)
        let nonce = SecureRandom.bytes(count: AESGCM.nonceByteCount)
        let description = describe(kind: kind, identifier: identifier, name: name, salt: salt)
        if case .passphrase(let cost) = kind { try budget.checkTime(of: cost) }
        let key = try wrappingKey(kind: kind, secret: secret, salt: salt, budget)
        do throws(CipherError) {
            return KeySlot(
                kind: kind,
                identifier: identifier,
                name: name,
                salt: salt,
                nonce: nonce,
                sealedKey: try AESGCM.seal(
                    vaultKey,
                    key: key,
                    nonce: nonce,
                    context: vaultIdentifier + description
                )
            )
        } catch {
            throw .outOfMemory
        }
    }

    /// Returns the vault's key, if the secret opens this slot.
    func open(
        with secret: SecretBytes,
        vaultIdentifier: [UInt8],
        _ budget: DerivationBudget
    ) throws(KeychainError) -> SecretBytes? {
        if case .passphrase(let cost) = kind { try budget.spend(cost) }
        let key = try Self.wrappingKey(kind: kind, secret: secret, salt: salt, budget)
        let context =
            vaultIdentifier + Self.describe(kind: kind, identifier: identifier, name: name, salt: salt)
        do throws(CipherError) {
            return try AESGCM.open(sealedKey.span, key: key, nonce: nonce, context: context)
        } catch .notAuthentic {
            return nil
        } catch {
            throw .outOfMemory
        }
    }

    private static func wrappingKey(
        kind: Kind,
        secret: SecretBytes,
        salt: [UInt8],
        _ budget: DerivationBudget
    ) throws(KeychainError) -> SecretBytes {
        try budget.run { (interruption) throws(KeyDerivationError) in
            switch kind {
            case .passphrase(let costs):
                try Argon2.deriveKey(
                    from: secret,
                    salt: salt,
                    memory: costs.memory,
                    passes: costs.passes,
                    interruption: interruption
                )
            case .rawKey, .secretService:
                try HKDF.deriveKey(from: secret, salt: salt, info: Array("CredKit vault 1 slot".utf8))
            }
        }
    }
}

// Encoding in the file.
extension KeySlot {
    /// Encodes all fields before the nonce.
    private static func describe(kind: Kind, identifier: [UInt8], name: String, salt: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(number: kind.number)
        writer.write(identifier)
        writer.write(text: name)
        writer.write(salt)
        if case .passphrase(let costs) = kind {
            writer.write(number: UInt32(costs.memory.kibibytes))
            writer.write(number: UInt32(costs.passes))
        }
        return writer.bytes
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Self.describe(kind: kind, identifier: identifier, name: name, salt: salt))
        writer.write(nonce)
        writer.write(sealedKey)
    }

    init(from reader: inout ByteReader, of bytes: Span<UInt8>) throws(KeychainError) {
        let number = try reader.number(UInt8.self, of: bytes)
        identifier = try reader.read(Self.identifierByteCount, of: bytes)
        name = try reader.text(of: bytes)
        guard name.utf8.count <= VaultLimits.slotNameByteCount else {
            throw .damaged("the vault is damaged: the name of a key slot is too long")
        }
        salt = try reader.read(Argon2.saltByteCount, of: bytes)
        switch number {
        case 1:
            kind = .passphrase(
                try Argon2idCost(
                    memory: .kibibytes(Int(reader.number(UInt32.self, of: bytes))),
                    passes: Int(reader.number(UInt32.self, of: bytes))
                )
            )
        case 2: kind = .rawKey
        case 3: kind = .secretService
        default:
            throw .unsupported(
                "the vault has a key slot of kind \(number), which this version does not support"
            )
        }
        nonce = try reader.read(AESGCM.nonceByteCount, of: bytes)
        sealedKey = try reader.read(Self.sealedByteCount, of: bytes)
    }
}
