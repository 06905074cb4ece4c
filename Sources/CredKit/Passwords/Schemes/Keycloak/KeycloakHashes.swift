// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A credential of Keycloak with PBKDF2: `pbkdf2`, which is SHA-1, `pbkdf2-sha256` or `pbkdf2-sha512`.
///
/// Keycloak fills up short passwords with NULs, which does not change HMAC.
struct KeycloakPBKDF2Hash: LayerableScheme {
    private let text: String
    private let inner: PBKDF2Hash

    private static let functions: [String: PBKDF2.Function] = [
        "pbkdf2": .sha1, "pbkdf2-sha256": .sha256, "pbkdf2-sha512": .sha512,
    ]

    /// Older versions of Keycloak made digests of this size with any function.
    private static let olderDigestByteCount = 64

    /// None of its own.
    static let schemes: [PasswordHash.Scheme] = []

    static func recognizes(_ text: String) -> Bool {
        KeycloakCredential.claims(text) && !KeycloakCredential.isArgon2(text)
    }

    init(parsing text: String) throws(PasswordError) {
        let credential = try KeycloakCredential(parsing: text)
        guard let function = Self.functions[credential.algorithm] else {
            throw .unsupported("a credential of Keycloak with another algorithm than PBKDF2 and Argon2")
        }
        guard credential.parameters.isEmpty else {
            throw .unsupported("a credential of Keycloak with parameters that PBKDF2 does not have")
        }
        guard credential.iterations > 0 else { throw .malformed("the number of iterations is 0") }
        guard 1...1024 ~= credential.salt.count else { throw .malformed("the length of the salt is invalid") }
        // Keycloak takes a digest of any size, so that the first part of one would verify.
        guard
            [function.digestByteCount, Self.olderDigestByteCount].contains(credential.digest.count)
        else { throw .malformed("the length of the digest is invalid") }
        self.text = text
        inner = PBKDF2Hash(
            notation: .passlib,
            function: function,
            iterations: Int(credential.iterations),
            salt: credential.salt,
            digest: credential.digest
        )
    }

    private init(text: String, inner: PBKDF2Hash) {
        self.text = text
        self.inner = inner
    }

    var description: String { text }
    var scheme: PasswordHash.Scheme { inner.scheme }
    var unprefixed: any PasswordScheme { inner }
    var systems: [String] { ["Keycloak"] }
    var parameters: [PasswordHash.Parameter] {
        [.init("iterations", inner.iterations), .init("notation", "keycloak")]
    }
    var salt: [UInt8] { inner.salt }
    var digest: [UInt8] { inner.digest }
    var weakness: String? { inner.weakness }

    /// The shortest text of the parameters, without names and times of the credential.
    var setting: Self {
        let zeros = inner.setting
        let algorithm = Self.functions.first { $0.value == inner.function }?.key ?? ""
        let (value, salt) = (Base64.standard.encode(zeros.digest), Base64.standard.encode(zeros.salt))
        let secret = #"{\"value\":\"\#(value)\",\"salt\":\"\#(salt)\"}"#
        let credential = #"{\"hashIterations\":\#(inner.iterations),\"algorithm\":\"\#(algorithm)\"}"#
        return Self(text: #"{"secretData":"\#(secret)","credentialData":"\#(credential)"}"#, inner: zeros)
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        inner.computationCost(passwordByteCount: passwordByteCount)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try inner.computeDigest(of: password, context)
    }
}

/// A credential of Keycloak with Argon2, its default since version 25.
struct KeycloakArgon2Hash: WrappedScheme {
    let description: String
    let unprefixed: any PasswordScheme

    private static let versions = ["1.0": 16, "1.3": 19]

    static func recognizes(_ text: String) -> Bool { KeycloakCredential.isArgon2(text) }

    init(parsing text: String) throws(PasswordError) {
        let credential = try KeycloakCredential(parsing: text)
        let parameters = credential.parameters
        guard parameters.count == 5, let length = parameters["hashLength"], let memory = parameters["memory"],
            let type = parameters["type"], let version = parameters["version"],
            let lanes = parameters["parallelism"]
        else { throw .malformed("the parameters of Argon2 are not those of Keycloak") }
        guard ["id", "i", "d"].contains(type), let number = Self.versions[version] else {
            throw .malformed("the variant or the version of Argon2 is unknown")
        }
        guard try PHCString.integer(length, name: "hashLength") == credential.digest.count else {
            throw .malformed("the digest does not have the stated length")
        }
        description = text
        let memoryKiB = try PHCString.integer(memory, name: "memory")
        let laneCount = try PHCString.integer(lanes, name: "parallelism")
        let base64 = Base64.standard.unpadded
        unprefixed = try Argon2Hash(
            parsing: "$argon2\(type)$v=\(number)$m=\(memoryKiB),t=\(credential.iterations),p=\(laneCount)"
                + "$\(base64.encode(credential.salt))$\(base64.encode(credential.digest))"
        )
    }

    var notation: String { "keycloak" }
    var systems: [String] { ["Keycloak"] }
}
