// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// PBKDF2 ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018)) with HMAC-SHA-256, for users who must comply with
    /// FIPS 140. It takes hardly any memory, so graphics cards compute it fast; otherwise use ``argon2id``.
    ///
    /// New hashes have passlib's notation. Those of Django, Werkzeug, ASP.NET Identity 3, OpenLDAP, 389 Directory Server
    /// and Spring Security, and PHC strings, are verified.
    public static let pbkdf2SHA256 = Self("pbkdf2-sha256")

    /// PBKDF2 with HMAC-SHA-512; see ``pbkdf2SHA256``.
    public static let pbkdf2SHA512 = Self("pbkdf2-sha512")

    /// PBKDF2 with HMAC-SHA-1, in the notations of ``pbkdf2SHA256``, of ASP.NET Identity 2 and of Dovecot. Graphics cards compute
    /// it more than twice as fast as with SHA-256. Verified only.
    public static let pbkdf2SHA1 = Self("pbkdf2-sha1")
}

/// PBKDF2 in one of the notations of ``PBKDF2Notation``.
struct PBKDF2Hash: ByteDigestScheme {
    typealias Function = PBKDF2.Function

    let notation: PBKDF2Notation
    let function: Function
    let iterations: Int
    let salt: [UInt8]
    var digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.pbkdf2SHA256, .pbkdf2SHA512, .pbkdf2SHA1]

    static func recognizes(_ text: String) -> Bool { PBKDF2Notation(recognizing: text) != nil }

    init(parsing text: String) throws(PasswordError) {
        switch PBKDF2Notation(recognizing: text) {
        case .passlib: try self.init(passlib: text)
        case .phc: try self.init(phc: text)
        case .django: try self.init(django: text)
        case .werkzeug: try self.init(werkzeug: text)
        case .identity2, .identity3: try self.init(identity: text)
        case .prefixed: try self.init(prefixed: text)
        case nil: throw .unrecognized
        }
    }

    /// Creates a hash from the values of its text, and checks what all notations have in common.
    init(
        notation: PBKDF2Notation,
        function: Function,
        stated iterations: UInt32,
        salt: [UInt8],
        digest: [UInt8]
    ) throws(PasswordError) {
        guard iterations > 0 else { throw .malformed("the number of iterations is 0") }
        guard salt.count <= 1024, !salt.isEmpty || notation == .passlib else {
            throw .malformed("the length of the salt is invalid")
        }
        // A shorter digest is a prefix of a longer one: a truncated text would still verify.
        guard notation.digestByteCounts(function).contains(digest.count) else {
            throw .malformed("the length of the digest is invalid")
        }
        self.init(
            notation: notation,
            function: function,
            iterations: Int(iterations),
            salt: salt,
            digest: digest
        )
    }

    init(notation: PBKDF2Notation, function: Function, iterations: Int, salt: [UInt8], digest: [UInt8]) {
        self.notation = notation
        self.function = function
        self.iterations = iterations
        self.salt = salt
        self.digest = digest
    }

    var description: String {
        switch notation {
        case .passlib: passlibText
        case .phc(let identifier, let statesLength): phcText(identifier, statesLength)
        case .django: djangoText
        case .werkzeug: werkzeugText
        case .identity2, .identity3: identityText
        case .prefixed(let prefixed): prefixedText(prefixed)
        }
    }

    var scheme: PasswordHash.Scheme {
        switch function {
        case .sha1: .pbkdf2SHA1
        case .sha256: .pbkdf2SHA256
        case .sha512: .pbkdf2SHA512
        }
    }

    var weakness: String? { "it takes hardly any memory, so graphics cards compute it fast" }
    var parameters: [PasswordHash.Parameter] {
        [.init("iterations", iterations), .init("notation", notation)]
    }

    var laneKernels: LaneKernels? { LaneKernels(function) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        // Each block of the digest takes all iterations.
        let blocks = (digest.count + function.digestByteCount - 1) / function.digestByteCount
        let cost = Self.computationCost(function: function, iterations: iterations)
        return ComputationCost(seconds: Double(blocks) * cost.seconds)
    }

    static func computationCost(function: Function, iterations: Int) -> ComputationCost {
        ComputationCost(seconds: Double(iterations) * function.iterationSeconds)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try Self.computeDigest(
            of: password,
            salt: salt,
            function: function,
            iterations: iterations,
            count: digest.count,
            context
        )
    }

    /// Computes PBKDF2; without `count`, with a digest as long as that of the hash function.
    static func computeDigest(
        of password: Span<UInt8>,
        salt: [UInt8],
        function: Function,
        iterations: Int,
        count: Int? = nil,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        do throws(KeyDerivationError) {
            return try PBKDF2.deriveKey(
                from: password,
                salt: salt,
                function: function,
                iterations: iterations,
                count: count ?? function.digestByteCount,
                interruption: context.interruption
            )
        } catch {
            throw PasswordError(error)
        }
    }
}

extension PBKDF2.Function {
    /// The number of iterations that OWASP recommends.
    var recommendedIterations: Int {
        switch self {
        case .sha1: 1_300_000
        case .sha256: 600_000
        case .sha512: 210_000
        }
    }

    /// The time of one iteration, in seconds.
    var iterationSeconds: Double {
        switch self {
        case .sha1: 0.22e-6
        case .sha256: 0.23e-6
        case .sha512: 0.52e-6
        }
    }
}
