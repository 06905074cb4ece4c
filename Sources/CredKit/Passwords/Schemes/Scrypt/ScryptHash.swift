// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// scrypt ([RFC 7914](https://www.rfc-editor.org/rfc/rfc7914)).
    public static let scrypt = Self("scrypt")
}

/// `$scrypt$ln=17,r=8,p=1$salt$digest`, as passlib and others write it.
struct ScryptHash: PasswordScheme {
    let costs: ScryptCosts
    let salt: [UInt8]
    let digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.scrypt]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$scrypt$") }

    init(parsing text: String) throws(PasswordError) {
        let phc = try PHCString(parsing: text)
        guard phc.version == nil else { throw .malformed("scrypt hashes have no version field") }
        let values = try phc.integers(["ln", "r", "p"]).map { Int($0) }
        guard let salt = phc.salt, let digest = phc.digest else {
            throw .malformed("salt or digest is missing")
        }
        guard salt.count <= 64 else { throw .malformed("the salt has more than 64 bytes") }
        // A shorter digest is a prefix of a longer one: a truncated text would still verify.
        guard 32...128 ~= digest.count else { throw .malformed("the digest must have 32 to 128 bytes") }
        let costs = try ScryptCosts(stated: values[0], blockSize: values[1], parallelism: values[2])
        self.init(costs: costs, salt: salt, digest: digest)
    }

    init(costs: ScryptCosts, salt: [UInt8], digest: [UInt8]) {
        self.costs = costs
        self.salt = salt
        self.digest = digest
    }

    var description: String {
        PHCString(
            identifier: "scrypt",
            parameters: [
                .init(name: "ln", value: "\(costs.logN)"),
                .init(name: "r", value: "\(costs.blockSize)"),
                .init(name: "p", value: "\(costs.parallelism)"),
            ],
            salt: salt,
            digest: digest
        ).description
    }

    var scheme: PasswordHash.Scheme { .scrypt }

    var parameters: [PasswordHash.Parameter] {
        [
            .init("log-n", costs.logN), .init("block-size", costs.blockSize),
            .init("parallelism", costs.parallelism),
        ]
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost { costs.computationCost }

    /// Computes scrypt with a digest of `count` bytes, in at most `memoryLimit` of memory.
    static func computeDigest(
        of password: Span<UInt8>,
        salt: [UInt8],
        costs: ScryptCosts,
        count: Int,
        memoryLimit: MemorySize
    ) throws(PasswordError) -> SecretBytes {
        do throws(KeyDerivationError) {
            return try Scrypt.deriveKey(
                from: password,
                salt: salt,
                logN: costs.logN,
                blockSize: costs.blockSize,
                parallelism: costs.parallelism,
                count: count,
                memoryLimit: memoryLimit
            )
        } catch {
            throw PasswordError(error)
        }
    }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        let computed = try Self.computeDigest(
            of: password,
            salt: salt,
            costs: costs,
            count: digest.count,
            memoryLimit: context.limits.memory
        )
        return computed.withSecretBytes { ConstantTime.areEqual($0, digest.span) }
    }
}
