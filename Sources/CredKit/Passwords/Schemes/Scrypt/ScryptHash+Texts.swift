// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension ScryptHash {
    /// The length of the digests of Django and Werkzeug, in bytes.
    private static let frameworkDigestByteCount = 64

    // MARK: PHC strings

    init(phc text: String) throws(PasswordError) {
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

    var phcText: String {
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

    // MARK: Django and Werkzeug

    init(django text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 6 else {
            throw .malformed("it must have the fields name, N, salt, r, p, digest")
        }
        try self.init(
            notation: .django,
            costs: [fields[1], fields[3], fields[4]],
            salt: fields[2],
            digest: HashField.base64(fields[5])
        )
    }

    var djangoText: String {
        "scrypt$\(1 << costs.logN)$\(saltText)$\(costs.blockSize)$\(costs.parallelism)$"
            + Base64.standard.encode(digest)
    }

    init(werkzeug text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        let method = fields[0].split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 3, method.count == 4 else {
            throw .malformed("it must have the fields scrypt:N:r:p, salt, digest")
        }
        try self.init(
            notation: .werkzeug,
            costs: Array(method[1...]),
            salt: fields[1],
            digest: HexDigest.parse(fields[2], byteCount: Self.frameworkDigestByteCount)
        )
    }

    var werkzeugText: String {
        "scrypt:\(1 << costs.logN):\(costs.blockSize):\(costs.parallelism)$\(saltText)$\(Hex.encode(digest))"
    }

    /// Creates a hash from fields of its text. The costs are N, r and p, and the salt is plain text.
    private init(
        notation: Notation,
        costs: [Substring],
        salt: Substring,
        digest: [UInt8]
    ) throws(PasswordError) {
        guard 1...1024 ~= salt.utf8.count else { throw .malformed("the length of the salt is invalid") }
        guard digest.count == Self.frameworkDigestByteCount else {
            throw .malformed("the digest must have \(Self.frameworkDigestByteCount) bytes")
        }
        self.init(
            notation: notation,
            costs: try ScryptCosts(
                stated: HashField.logarithm(costs[0], name: "N"),
                blockSize: Int(PHCString.integer(costs[1], name: "r")),
                parallelism: Int(PHCString.integer(costs[2], name: "p"))
            ),
            salt: Array(salt.utf8),
            digest: digest
        )
    }

    // MARK: Spring Security

    init(spring text: String) throws(PasswordError) {
        guard let parts = PrefixedText(text) else { throw .unrecognized }
        let fields = parts.rest.dollarFields
        guard fields.count == 4, fields[0].isEmpty else {
            throw .malformed("it must have the fields costs, salt, digest")
        }
        guard let costs = Int(fields[1], radix: 16), costs > 0, String(costs, radix: 16) == fields[1],
            costs < 1 << 32
        else { throw .malformed("the costs must be lowercase hexadecimal digits without leading zeros") }
        let (salt, digest) = (try HashField.base64(fields[2]), try HashField.base64(fields[3]))
        guard 1...1024 ~= salt.count else { throw .malformed("the length of the salt is invalid") }
        // A shorter digest is a prefix of a longer one: a truncated text would still verify.
        guard digest.count == 32 else { throw .malformed("the digest must have 32 bytes") }
        self.init(
            notation: .spring,
            prefix: parts.prefix,
            costs: try ScryptCosts(
                stated: costs >> 16,
                blockSize: costs >> 8 & 0xFF,
                parallelism: costs & 0xFF
            ),
            salt: salt,
            digest: digest
        )
    }

    var springText: String {
        let number = costs.logN << 16 | costs.blockSize << 8 | costs.parallelism
        return "\(prefix)$\(String(number, radix: 16))$\(Base64.standard.encode(salt))$"
            + Base64.standard.encode(digest)
    }

    private var saltText: String { String(decoding: salt, as: UTF8.self) }
}
