// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// How the key of a database is derived, with the costs that its author chose.
enum KDBXKeyDerivation {
    case aes(seed: [UInt8], rounds: UInt64)
    case argon2(salt: [UInt8], Argon2.Parameters)

    /// What a derivation may cost: the limits of stored hashes, and those of a user who trusts the file.
    private static let limits = PasswordLimits.standard
    private static let wideLimits = PasswordLimits(memory: .gibibytes(4), computationTime: .seconds(600))

    /// Reads the field of version 4.
    init(_ field: [UInt8]) throws(KeychainError) {
        let values = try KDBXVariantDictionary(field)
        let identifier = Hex.encode(try values.bytes("$UUID"))
        switch identifier {
        case "c9d9f39a628a4460bf740d08c18a4fea", "7c02bb8279a74ac0927d114a00648238":
            let seed = try values.bytes("S")
            guard seed.count == AESKDF.keyByteCount else { throw KDBXVariantDictionary.malformed }
            self = .aes(seed: seed, rounds: try values.number("R"))
        case "ef636ddf8c29444b91f7a9a403e30a0c": self = try Self.argon2(.argon2d, values)
        case "9e298b1956db4773b23dfc3ec6f0a1e6": self = try Self.argon2(.argon2id, values)
        default:
            throw .unsupported(
                "the database has an unknown key derivation; Argon2d, Argon2id and AES-KDF are supported"
            )
        }
    }

    private static func argon2(
        _ variant: Argon2.Variant,
        _ values: KDBXVariantDictionary
    ) throws(KeychainError) -> Self {
        let salt = try values.bytes("S")
        guard let version = UInt32(exactly: try values.number("V")).flatMap({ Argon2.Version(rawValue: $0) })
        else {
            throw .unsupported("the database has an unknown version of Argon2; 1.0 and 1.3 are supported")
        }
        let (memory, passes, lanes) = (
            try values.number("M") >> 10, try values.number("I"), try values.number("P")
        )
        // The bounds of RFC 9106.
        let numbers = 1...UInt64(UInt32.max)
        guard salt.count >= 8, numbers.contains(passes), 1..<1 << 24 ~= lanes, numbers.contains(memory),
            memory >= 8 * lanes
        else { throw KDBXVariantDictionary.malformed }
        return .argon2(
            salt: salt,
            Argon2.Parameters(
                variant: variant,
                version: version,
                memory: .kibibytes(Int(memory)),
                passes: Int(passes),
                lanes: Int(lanes),
                secret: try values.bytesIfPresent("K") ?? [],
                associatedData: try values.bytesIfPresent("A") ?? []
            )
        )
    }

    private var memory: MemorySize {
        switch self {
        case .aes: .bytes(0)
        case .argon2(_, let parameters): parameters.memory
        }
    }

    private var estimatedSeconds: Double {
        switch self {
        case .aes(_, let rounds): AESKDF.estimatedSeconds(rounds: rounds)
        case .argon2(_, let parameters):
            Argon2.estimatedSeconds(
                memory: parameters.memory,
                passes: parameters.passes,
                lanes: parameters.lanes
            )
        }
    }

    /// The costs in words.
    private var description: String {
        switch self {
        case .aes(_, let rounds): "AES-KDF with \(rounds) rounds"
        case .argon2(_, let parameters):
            "Argon2 with \(parameters.memory) of memory and \(parameters.passes) passes"
        }
    }

    /// Checks the costs, before anything is derived.
    ///
    /// - Parameters:
    ///   - allowsMore: Whether the user trusts the file.
    ///   - timeout: The maximum time.
    /// - Throws: ``KeychainError/overLimit``, ``KeychainError/timedOut``.
    func check(allowsMore: Bool, timeout: Duration?) throws(KeychainError) {
        let limits = allowsMore ? Self.wideLimits : Self.limits
        let seconds = estimatedSeconds
        guard memory <= limits.memory, seconds <= limits.computationTime / .seconds(1) else {
            let rest =
                allowsMore
                ? "which cannot be raised: lower the cost in KeePass or KeePassXC"
                : "which protects against files of attackers. If you trust the file, allow the cost with "
                    + "allowsCostlyKeyDerivation (--allow-costly)"
            throw .overLimit(
                "opening the database takes \(description), beyond the limit of \(limits.memory) and about "
                    + "\(limits.computationTime.components.seconds) s, \(rest)"
            )
        }
        if let timeout, seconds > timeout / .seconds(1) {
            throw .timedOut(
                "opening the database takes \(description), about \(Int(seconds.rounded(.up))) s: allow more with a longer "
                    + "timeout (--timeout)"
            )
        }
    }

    /// Derives the key, whose cost has been checked.
    func derive(from key: SecretBytes) throws(KeychainError) -> SecretBytes {
        do throws(KeyDerivationError) {
            switch self {
            case .aes(let seed, let rounds):
                return try AESKDF.deriveKey(from: key, seed: seed, rounds: rounds)
            case .argon2(let salt, let parameters):
                return try Argon2.deriveKey(from: key, salt: salt, parameters)
            }
        } catch .unsupported {
            throw .unsupported(
                "libsodium cannot open this database, and CREDKIT_KERNELS or this processor rules out CredKit's own Argon2"
            )
        } catch {
            throw .outOfMemory
        }
    }
}
