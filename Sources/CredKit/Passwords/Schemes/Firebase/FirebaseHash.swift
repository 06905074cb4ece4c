// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Firebase Authentication's modification of scrypt: the key of its project, encrypted under scrypt of the password.
    /// Verified only; use ``argon2id``, which needs no key.
    public static let firebaseScrypt = Self("firebase-scrypt")
}

/// `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=…$salt$digest`, as Supabase reads the accounts of Firebase: the binary logarithm
/// of N, r and p of scrypt, the salt separator and the signer key of the project, all in Base64. Instead of `sk`, CredKit
/// also reads `keyid=ID`, the name of a signer key that is not in the table.
///
/// Source: [firebase/scrypt](https://github.com/firebase/scrypt).
struct FirebaseHash: PasswordScheme {
    /// The key of a project in Firebase.
    private enum SignerKey: Sendable {
        case stated([UInt8])
        case named(String)
    }

    private let costs: ScryptCosts
    private let separator: [UInt8]
    private let signerKey: SignerKey
    let salt: [UInt8]
    let digest: [UInt8]

    private static let beginning = "$fbscrypt$"
    private static let keyByteCounts = 16...256

    static let schemes: [PasswordHash.Scheme] = [.firebaseScrypt]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix(beginning) }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.dollarFields
        guard fields.count == 5 else {
            throw .malformed("it must have the fields name, parameters, salt, digest")
        }
        var parameters = fields[2].split(separator: ",", omittingEmptySubsequences: false)[...]
        /// Removes the next parameter if it has this name, and returns its value.
        func take(_ name: String) -> Substring? {
            guard let parameter = parameters.first, parameter.hasPrefix("\(name)=") else { return nil }
            parameters.removeFirst()
            return parameter.dropFirst(name.utf8.count + 1)
        }
        guard take("v") == "1", let logN = take("n"), let blockSize = take("r"), let parallelism = take("p")
        else { throw .malformed("the parameters must be v=1, n, r, p, ss, and sk or keyid, in this order") }
        costs = try ScryptCosts(
            stated: Int(PHCString.integer(logN, name: "n")),
            blockSize: Int(PHCString.integer(blockSize, name: "r")),
            parallelism: Int(PHCString.integer(parallelism, name: "p"))
        )
        let stated = take("ss")
        separator = try stated.map { (field) throws(PasswordError) in try HashField.base64(field) } ?? []
        salt = try HashField.base64(fields[3])
        digest = try HashField.base64(fields[4])
        guard stated?.isEmpty != true, salt.count <= 256, separator.count <= 256 else {
            throw .malformed("the length of the salt or its separator is invalid")
        }
        if let field = take("sk") {
            let key = try HashField.base64(field)
            guard key.count == digest.count else {
                throw .malformed("the digest is not as long as the signer key")
            }
            signerKey = .stated(key)
        } else if let field = take("keyid") {
            try PasswordPepper.check(keyID: String(field))
            signerKey = .named(String(field))
        } else {
            throw .malformed(
                "the signer key is missing: sk=BASE64, or keyid=ID for one that is not in the table"
            )
        }
        guard parameters.isEmpty, Self.keyByteCounts.contains(digest.count) else {
            throw .malformed("there are unknown parameters, or the length of the digest is invalid")
        }
    }

    var description: String {
        let base64 = Base64.standard
        let key =
            switch signerKey {
            case .stated(let key): "sk=\(base64.encode(key))"
            case .named(let keyID): "keyid=\(keyID)"
            }
        return "\(Self.beginning)v=1,n=\(costs.logN),r=\(costs.blockSize),p=\(costs.parallelism),"
            + (separator.isEmpty ? "" : "ss=\(base64.encode(separator)),")
            + "\(key)$\(base64.encode(salt))$\(base64.encode(digest))"
    }

    var scheme: PasswordHash.Scheme { .firebaseScrypt }
    var systems: [String] { ["Firebase", "Supabase"] }

    /// Its costs are those of scrypt.
    var unprefixed: any PasswordScheme { ScryptHash(costs: costs, salt: salt, digest: digest) }

    var parameters: [PasswordHash.Parameter] {
        let names: [PasswordHash.Parameter] =
            switch signerKey {
            case .stated: []
            case .named(let keyID): [.init("key", keyID)]
            }
        return [
            .init("log-n", costs.logN), .init("block-size", costs.blockSize),
            .init("parallelism", costs.parallelism),
        ] + names
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost { costs.computationCost }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        switch signerKey {
        case .stated(let key): return try matches(password, signerKey: key.span, context)
        case .named(let keyID):
            guard let key = context.legacyKeys[keyID] else {
                throw .unknownKey("the signer key '\(keyID)' of this hash is not available")
            }
            guard key.count == digest.count else {
                throw .unknownKey(
                    "the signer key '\(keyID)' is not as long as the hash (it is given as bytes, not as Base64)"
                )
            }
            return try key.withSecretBytes { (key) throws(PasswordError) in
                try matches(password, signerKey: key, context)
            }
        }
    }

    private func matches(
        _ password: Span<UInt8>,
        signerKey: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> Bool {
        let derived = try ScryptHash.computeDigest(
            of: password,
            salt: salt + separator,
            costs: costs,
            count: AESCTR.keyByteCount,
            context
        )
        let encrypted: SecretBytes
        do throws(CipherError) {
            encrypted = try AESCTR.encrypt(signerKey, key: derived)
        } catch {
            throw .outOfMemory
        }
        return encrypted.withSecretBytes { ConstantTime.areEqual($0, digest.span) }
    }
}
