// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// PBKDF2 ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018)) with HMAC-SHA-256, for users who must comply with
    /// FIPS 140. It takes hardly any memory, so graphics cards compute it fast; otherwise use ``argon2id``.
    public static let pbkdf2SHA256 = Self("pbkdf2-sha256")

    /// PBKDF2 with HMAC-SHA-512; see ``pbkdf2SHA256``.
    public static let pbkdf2SHA512 = Self("pbkdf2-sha512")
}

/// `$pbkdf2-sha256$600000$salt$digest` as passlib writes it, with `.` for `+` in its Base64; or
/// `pbkdf2_sha256$600000$salt$digest` as Django writes it, with the salt as plain text and padded Base64.
struct PBKDF2Hash: LayerableScheme {
    typealias Function = PBKDF2.Function

    enum Notation: String, Sendable {
        case passlib, django
    }

    let notation: Notation
    let function: Function
    let iterations: Int
    let salt: [UInt8]
    private(set) var digest: [UInt8]

    private static let passlib = Base64.standard.unpadded

    static let schemes: [PasswordHash.Scheme] = [.pbkdf2SHA256, .pbkdf2SHA512]

    static func recognizes(_ text: String) -> Bool {
        text.hasPrefix("$pbkdf2-sha") || text.hasPrefix("$pbkdf2$") || text.hasPrefix("pbkdf2_sha")
    }

    init(parsing text: String) throws(PasswordError) {
        let notation: Notation = text.hasPrefix("$") ? .passlib : .django
        let fields = text.dropFirst(notation == .passlib ? 1 : 0)
            .split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 4 else {
            throw .malformed("it must have four fields: name, iterations, salt, digest")
        }
        guard let function = Function(rawValue: String(fields[0].dropFirst(7))), function != .sha1,
            !(function == .sha512 && notation == .django)
        else { throw .unsupported("PBKDF2 can only be checked with SHA-256 and SHA-512") }
        let iterations = Int(try PHCString.integer(fields[1], name: "iterations"))
        guard iterations > 0 else { throw .malformed("the number of iterations is 0") }
        let salt: [UInt8]
        let digest: [UInt8]
        do throws(Base64.DecodingError) {
            switch notation {
            case .passlib:
                guard !fields[2...].contains(where: { $0.contains("+") }) else {
                    throw .invalidCharacter
                }
                salt = try Self.passlib.decode(fields[2].utf8.map(Self.plus))
                digest = try Self.passlib.decode(fields[3].utf8.map(Self.plus))
            case .django:
                salt = Array(fields[2].utf8)
                digest = try Base64.standard.decode(fields[3])
            }
        } catch {
            throw .malformed("salt or digest is not Base64 of the expected variant: \(error)")
        }
        guard notation == .passlib || !salt.isEmpty, salt.count <= 1024 else {
            throw .malformed("the length of the salt is invalid")
        }
        guard digest.count == function.digestByteCount else {
            throw .malformed("the digest must have \(function.digestByteCount) bytes")
        }
        self.init(notation: notation, function: function, iterations: iterations, salt: salt, digest: digest)
    }

    init(notation: Notation, function: Function, iterations: Int, salt: [UInt8], digest: [UInt8]) {
        self.notation = notation
        self.function = function
        self.iterations = iterations
        self.salt = salt
        self.digest = digest
    }

    /// Translates passlib's Base64, which has a dot in place of the plus.
    private static func plus(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: ".") ? UInt8(ascii: "+") : byte }

    private static func dotted(_ bytes: [UInt8]) -> String {
        String(passlib.encode(bytes).map { $0 == "+" ? "." : $0 })
    }

    var description: String {
        switch notation {
        case .passlib:
            "$pbkdf2-\(function.rawValue)$\(iterations)$\(Self.dotted(salt))$\(Self.dotted(digest))"
        case .django:
            "pbkdf2_\(function.rawValue)$\(iterations)$\(String(decoding: salt, as: UTF8.self))$"
                + Base64.standard.encode(digest)
        }
    }

    var scheme: PasswordHash.Scheme { function == .sha256 ? .pbkdf2SHA256 : .pbkdf2SHA512 }

    var weakness: String? { "it takes hardly any memory, so graphics cards compute it fast" }
    var parameters: [PasswordHash.Parameter] {
        [.init("iterations", iterations), .init("notation", notation.rawValue)]
    }

    var setting: Self {
        var copy = self
        copy.digest = Array(repeating: 0, count: digest.count)
        return copy
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        Self.computationCost(function: function, iterations: iterations)
    }

    static func computationCost(function: Function, iterations: Int) -> ComputationCost {
        ComputationCost(seconds: Double(iterations) * function.iterationSeconds)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try Self.computeDigest(of: password, salt: salt, function: function, iterations: iterations)
    }

    /// Computes PBKDF2 with a digest as long as that of the hash function.
    static func computeDigest(
        of password: Span<UInt8>,
        salt: [UInt8],
        function: Function,
        iterations: Int
    ) throws(PasswordError) -> SecretBytes {
        do throws(KeyDerivationError) {
            return try PBKDF2.deriveKey(
                from: password,
                salt: salt,
                function: function,
                iterations: iterations,
                count: function.digestByteCount
            )
        } catch {
            throw PasswordError(error)
        }
    }
}

extension PBKDF2.Function {
    /// The number of iterations that OWASP recommends.
    var recommendedIterations: Int { self == .sha256 ? 600_000 : 210_000 }
    /// The time of one iteration, in seconds.
    var iterationSeconds: Double {
        switch self {
        case .sha1: 0.24e-6
        case .sha256: 0.23e-6
        case .sha512: 0.52e-6
        }
    }
}
