// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Argon2id over a hash of an older scheme; see ``PasswordContext/layer(over:)-(String)``.
    public static let layeredArgon2id = Self("layered-argon2id")
}

/// `$layered-argon2id$v=19$m=19456,t=2,p=1,inner=JDEkYWJj…$salt$digest`
///
/// `inner` is the Base64, without padding, of the older hash's text with zeros for its digest. The input of Argon2id
/// is that text, a NUL, and the older digest.
struct LayeredHash: PasswordScheme {
    /// The older hash, without its digest.
    let inner: any LayerableScheme
    let outer: Argon2Hash

    private static let identifier = "layered-argon2id"

    static let schemes: [PasswordHash.Scheme] = [.layeredArgon2id]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$\(identifier)$") }

    init(parsing text: String) throws(PasswordError) {
        let phc = try PHCString(parsing: text)
        guard let last = phc.parameters.last, last.name == "inner" else {
            throw .malformed("the parameters must be m, t, p, inner, in this order")
        }
        outer = try Argon2Hash(
            parsing: PHCString(
                identifier: "argon2id",
                version: phc.version,
                parameters: phc.parameters.dropLast(),
                salt: phc.salt,
                digest: phc.digest
            ).description
        )
        guard outer.version == .v19 else {
            throw .unsupported("the outer hash is of version 16, but must be of version 19")
        }
        guard outer.lanes == 1, outer.salt.count == Argon2.saltByteCount else {
            throw .malformed("the outer hash must have one lane and a salt of 16 bytes")
        }
        // Within the limits: it is shorter than the whole text, whose length was checked.
        guard let bytes = try? Base64.standard.unpadded.decode(last.value) else {
            throw .malformed("the inner hash is not Base64 without padding")
        }
        let innerText = String(decoding: bytes, as: UTF8.self)
        // Neither a layered hash is layerable, so that there is only one level, nor a setting of several frameworks.
        let parsed = try PasswordSchemes.parse(part: innerText)
        guard let inner = parsed as? any LayerableScheme else {
            throw .malformed("the inner hash is of a scheme that cannot be layered")
        }
        guard inner.setting.description == innerText else {
            throw .malformed("the inner hash contains a digest, which must be replaced by zeros")
        }
        self.inner = inner
    }

    /// Creates a layered hash from an older one.
    init(over older: any LayerableScheme, outer: Argon2Hash) {
        inner = older.setting
        self.outer = outer
    }

    /// Returns the input of Argon2id for an older hash that still has its digest.
    static func input(of older: any LayerableScheme) throws(PasswordError) -> SecretBytes {
        try input(setting: older.setting, digest: older.digest.span)
    }

    private static func input(
        setting: any LayerableScheme,
        digest: Span<UInt8>
    ) throws(PasswordError) -> SecretBytes {
        let text = Array(setting.description.utf8)
        return try unsafe .derived(count: text.count + 1 + digest.count) { buffer in
            for index in text.indices { unsafe buffer[index] = text[index] }
            for index in digest.indices { unsafe buffer[text.count + 1 + index] = digest[index] }
            return nil
        }
    }

    var description: String {
        let text = Base64.standard.unpadded.encode(inner.description.utf8)
        return PHCString(
            identifier: Self.identifier,
            version: 19,
            parameters: [
                .init(name: "m", value: "\(outer.memoryKiB)"), .init(name: "t", value: "\(outer.passes)"),
                .init(name: "p", value: "\(outer.lanes)"), .init(name: "inner", value: text),
            ],
            salt: outer.salt,
            digest: outer.digest
        ).description
    }

    var scheme: PasswordHash.Scheme { .layeredArgon2id }
    var salt: [UInt8] { outer.salt }
    var digest: [UInt8] { outer.digest }

    var weakness: String? {
        "an attacker who stole the older table can try its digests in place of passwords"
    }

    var parameters: [PasswordHash.Parameter] {
        outer.parameters + [.init("inner-scheme", inner.scheme)]
            + inner.parameters.map { .init("inner-\($0.name)", $0.value) }
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        let (inside, outside) = (
            inner.computationCost(passwordByteCount: passwordByteCount),
            outer.computationCost(passwordByteCount: 0)
        )
        return ComputationCost(
            memory: max(inside.memory, outside.memory),
            seconds: inside.seconds + outside.seconds
        )
    }

    func ignoresBytes(of password: Span<UInt8>) -> Bool { inner.ignoresBytes(of: password) }

    func input(for password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> SecretBytes? {
        let digest = try inner.computeDigest(of: password, context)
        return try digest.withSecretBytes { (digest) throws(PasswordError) in
            try Self.input(setting: inner, digest: digest)
        }
    }

    func matches(_ input: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        try outer.matches(input, context)
    }
}
