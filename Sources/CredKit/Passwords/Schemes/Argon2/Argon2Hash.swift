// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Argon2id ([RFC 9106](https://www.rfc-editor.org/rfc/rfc9106)): the recommended scheme. Hashes of version 16 count as
    /// weaker than any of version 19.
    public static let argon2id = Self("argon2id")

    /// Argon2i: verified only. Known attacks compute it with less memory than intended; use ``argon2id``.
    public static let argon2i = Self("argon2i")

    /// Argon2d: verified only. Its memory accesses reveal the password to other programs on the same machine; use
    /// ``argon2id``.
    public static let argon2d = Self("argon2d")
}

/// `$argon2id$v=19$m=19456,t=2,p=1$salt$digest`, and the same for Argon2i and Argon2d. Version 16 is `v=16`, or is not
/// stated. Django writes `argon2` before it.
struct Argon2Hash: PasswordScheme {
    typealias Variant = Argon2.Variant

    let isDjango: Bool
    let variant: Variant
    let version: Argon2.Version
    /// Whether the text states the version.
    let statesVersion: Bool
    let memoryKiB: Int
    let passes: Int
    let lanes: Int
    let salt: [UInt8]
    let digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.argon2id, .argon2i, .argon2d]

    private static let djangoPrefix = "argon2"

    static func recognizes(_ text: String) -> Bool {
        text.hasPrefix("$argon2") || text.hasPrefix("\(djangoPrefix)$argon2")
    }

    init(parsing text: String) throws(PasswordError) {
        isDjango = !text.hasPrefix("$")
        let phc = try PHCString(parsing: text.dropFirst(isDjango ? Self.djangoPrefix.count : 0))
        guard let variant = Variant(rawValue: phc.identifier) else {
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
        // The text is now known to be a valid hash of Argon2, although it may be an unsupported one. The first version was
        // not stated in the texts.
        guard let version = Argon2.Version(rawValue: phc.version ?? 16) else {
            throw .unsupported("there is no version \(phc.version ?? 16) of Argon2, only 16 and 19")
        }
        guard associated.isEmpty else {
            throw .unsupported("Argon2 with a key or associated data cannot be checked")
        }
        guard digest.count >= 16 else {
            throw .unsupported("Argon2 with a digest of less than 16 bytes cannot be checked")
        }
        self.variant = variant
        self.version = version
        statesVersion = phc.version != nil
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
        self.salt = salt
        self.digest = digest
    }

    init(variant: Variant, memoryKiB: Int, passes: Int, salt: [UInt8], digest: [UInt8]) {
        isDjango = false
        self.variant = variant
        version = .v19
        statesVersion = true
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
            version: statesVersion ? version.rawValue : nil,
            parameters: [
                .init(name: "m", value: "\(memoryKiB)"),
                .init(name: "t", value: "\(passes)"),
                .init(name: "p", value: "\(lanes)"),
            ],
            salt: salt,
            digest: digest
        ).description
    }

    var scheme: PasswordHash.Scheme {
        switch variant {
        case .argon2id: .argon2id
        case .argon2i: .argon2i
        case .argon2d: .argon2d
        }
    }

    var weakness: String? {
        switch variant {
        case .argon2id:
            version == .v19 ? nil : "known attacks compute version 16 with less memory than it requires"
        case .argon2i: "known attacks compute Argon2i with less memory than it requires"
        case .argon2d: "the memory accesses of Argon2d reveal the password to programs on the same machine"
        }
    }

    var parameters: [PasswordHash.Parameter] {
        [.init("memory", memoryKiB), .init("passes", passes), .init("lanes", lanes)]
            + (version == .v19 ? [] : [.init("version", Int(version.rawValue))])
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

    /// Computes a digest, within the bounds of ``Argon2``.
    static func computeDigest(
        of password: Span<UInt8>,
        salt: [UInt8],
        _ parameters: Argon2.Parameters,
        count: Int,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        do throws(KeyDerivationError) {
            return try Argon2.deriveKey(
                from: password,
                salt: salt,
                parameters,
                count: count,
                context.argon2
            )
        } catch {
            throw PasswordError(error)
        }
    }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        let costs = Argon2.Parameters(
            variant: variant,
            version: version,
            memory: .kibibytes(memoryKiB),
            passes: passes,
            lanes: lanes
        )
        // libsodium's function that computes a digest supports only one lane and 16 bytes of salt, but its result is
        // unambiguous. The one that verifies a text has no such limits.
        let isSodium = context.argon2.implementation == .libsodium || Argon2Kernels() == nil
        if isSodium, !context.argon2.locksMemory, version == .v19, variant != .argon2d,
            !costs.isComputedBySodium || salt.count != Argon2.saltByteCount
        {
            return try verifyWithSodium(password)
        }
        let computed = try Self.computeDigest(of: password, salt: salt, costs, count: digest.count, context)
        return computed.withSecretBytes { ConstantTime.areEqual($0, digest.span) }
    }
}
