// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Argon2id ([RFC 9106](https://www.rfc-editor.org/rfc/rfc9106)), version 19: the recommended scheme.
    public static let argon2id = Self("argon2id")

    /// Argon2i, version 19: verified only. Known attacks compute it with less memory than intended; use ``argon2id``.
    public static let argon2i = Self("argon2i")
}

/// `$argon2id$v=19$m=19456,t=2,p=1$salt$digest`, and the same for Argon2i. Django writes `argon2` before it.
struct Argon2Hash: PasswordScheme {
    typealias Variant = Argon2.Variant

    let isDjango: Bool
    let variant: Variant
    let memoryKiB: Int
    let passes: Int
    let lanes: Int
    let salt: [UInt8]
    let digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.argon2id, .argon2i]

    private static let djangoPrefix = "argon2"

    static func recognizes(_ text: String) -> Bool {
        text.hasPrefix("$argon2") || text.hasPrefix("\(djangoPrefix)$argon2")
    }

    init(parsing text: String) throws(PasswordError) {
        isDjango = !text.hasPrefix("$")
        let phc = try PHCString(parsing: text.dropFirst(isDjango ? Self.djangoPrefix.count : 0))
        let variant = Variant(rawValue: phc.identifier)
        guard variant != nil || phc.identifier == "argon2d" else {
            throw .malformed("the variant of Argon2 is unknown")
        }
        let associated = phc.parameters.map(\.name).filter { $0 == "keyid" || $0 == "data" }
        let costs = try phc.integers(["m", "t", "p"], before: associated).map { Int($0) }
        guard let salt = phc.salt, let digest = phc.digest else {
            throw .malformed("salt or digest is missing")
        }
        let (memoryKiB, passes, lanes) = (costs[0], costs[1], costs[2])
        guard passes > 0, 1..<1 << 24 ~= lanes, memoryKiB >= 8 * lanes else {
            throw .malformed("the costs of Argon2 are out of range")
        }
        guard 8...64 ~= salt.count else { throw .malformed("the salt must have 8 to 64 bytes") }
        guard 4...512 ~= digest.count else { throw .malformed("the digest must have 4 to 512 bytes") }
        // The text is now known to be a valid hash of Argon2, although it may be an unsupported one.
        guard let variant else {
            throw .unsupported("Argon2d is not meant for passwords and cannot be checked")
        }
        // The first version was not stated in the texts.
        guard phc.version == 19 else {
            throw .unsupported("Argon2 of version \(phc.version ?? 16) cannot be checked, only version 19")
        }
        guard associated.isEmpty else {
            throw .unsupported("Argon2 with a key or associated data cannot be checked")
        }
        guard digest.count >= 16 else {
            throw .unsupported("Argon2 with a digest of less than 16 bytes cannot be checked")
        }
        self.variant = variant
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
        self.salt = salt
        self.digest = digest
    }

    init(variant: Variant, memoryKiB: Int, passes: Int, salt: [UInt8], digest: [UInt8]) {
        isDjango = false
        self.variant = variant
        self.memoryKiB = memoryKiB
        self.passes = passes
        lanes = 1
        self.salt = salt
        self.digest = digest
    }

    var description: String { isDjango ? Self.djangoPrefix + phcText : phcText }

    /// The text without Django's prefix.
    var phcText: String {
        PHCString(
            identifier: variant.rawValue,
            version: 19,
            parameters: [
                .init(name: "m", value: "\(memoryKiB)"),
                .init(name: "t", value: "\(passes)"),
                .init(name: "p", value: "\(lanes)"),
            ],
            salt: salt,
            digest: digest
        ).description
    }

    var scheme: PasswordHash.Scheme { variant == .argon2id ? .argon2id : .argon2i }

    var weakness: String? {
        variant == .argon2id ? nil : "known attacks compute Argon2i with less memory than it requires"
    }
    var parameters: [PasswordHash.Parameter] {
        [.init("memory", memoryKiB), .init("passes", passes), .init("lanes", lanes)]
            + (isDjango ? [.init("notation", "django")] : [])
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        Self.computationCost(memoryKiB: memoryKiB, passes: passes, lanes: lanes)
    }

    static func computationCost(memoryKiB: Int, passes: Int, lanes: Int = 1) -> ComputationCost {
        let memory = MemorySize.kibibytes(memoryKiB)
        return ComputationCost(
            memory: memory,
            seconds: Argon2.estimatedSeconds(memory: memory, passes: passes, lanes: lanes)
        )
    }

    /// Computes Argon2 with one lane, within the bounds of ``Argon2``.
    static func computeDigest(
        of password: Span<UInt8>,
        variant: Variant = .argon2id,
        salt: [UInt8],
        memoryKiB: Int,
        passes: Int,
        count: Int
    ) throws(PasswordError) -> SecretBytes {
        do throws(KeyDerivationError) {
            return try Argon2.deriveKey(
                from: password,
                variant: variant,
                salt: salt,
                memory: .kibibytes(memoryKiB),
                passes: passes,
                count: count
            )
        } catch {
            throw PasswordError(error)
        }
    }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        // The function that computes a digest supports only one lane and 16 bytes of salt, but its result is
        // unambiguous.
        let leastPasses = variant == .argon2id ? 1 : 3
        guard lanes == 1, salt.count == Argon2.saltByteCount, passes >= leastPasses else {
            return try verifyWithSodium(password)
        }
        let computed = try Self.computeDigest(
            of: password,
            variant: variant,
            salt: salt,
            memoryKiB: memoryKiB,
            passes: passes,
            count: digest.count
        )
        return computed.withSecretBytes { ConstantTime.areEqual($0, digest.span) }
    }
}
