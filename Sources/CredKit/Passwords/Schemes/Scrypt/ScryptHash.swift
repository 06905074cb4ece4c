// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// scrypt ([RFC 7914](https://www.rfc-editor.org/rfc/rfc7914)). New hashes are PHC strings; the notations of
    /// Django, Werkzeug and Spring Security are verified.
    public static let scrypt = Self("scrypt")
}

/// scrypt in one of the notations of ``Notation``.
struct ScryptHash: PasswordScheme {
    /// The notations in which software stores scrypt.
    enum Notation: String, Sendable {
        /// `$scrypt$ln=17,r=8,p=1$salt$digest`: PHC strings, as passlib and others write them.
        case phc
        /// `scrypt$16384$salt$8$5$digest`: N, r and p around a salt in plain text, and padded Base64.
        case django
        /// `scrypt:32768:8:1$salt$digest`: the salt in plain text, and hexadecimal digits.
        case werkzeug
        /// `{scrypt}$e0801$salt$digest`: log₂ N, r and p in one hexadecimal number, and padded Base64.
        case spring

        /// Returns the notation that a text claims to have; `nil` if it has none of these.
        init?(recognizing text: String) {
            if text.hasPrefix("$scrypt$") {
                self = .phc
            } else if text.hasPrefix("scrypt$") {
                self = .django
            } else if text.hasPrefix("scrypt:") {
                self = .werkzeug
            } else if case .scrypt? = PrefixedText(text)?.entry.content {
                self = .spring
            } else {
                return nil
            }
        }
    }

    let notation: Notation
    /// The name in braces, if the notation has one.
    let prefix: String
    let costs: ScryptCosts
    let salt: [UInt8]
    let digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.scrypt]

    static func recognizes(_ text: String) -> Bool { Notation(recognizing: text) != nil }

    init(parsing text: String) throws(PasswordError) {
        switch Notation(recognizing: text) {
        case .phc: try self.init(phc: text)
        case .django: try self.init(django: text)
        case .werkzeug: try self.init(werkzeug: text)
        case .spring: try self.init(spring: text)
        case nil: throw .unrecognized
        }
    }

    init(
        notation: Notation = .phc,
        prefix: String = "",
        costs: ScryptCosts,
        salt: [UInt8],
        digest: [UInt8]
    ) {
        self.notation = notation
        self.prefix = prefix
        self.costs = costs
        self.salt = salt
        self.digest = digest
    }

    var description: String {
        switch notation {
        case .phc: phcText
        case .django: djangoText
        case .werkzeug: werkzeugText
        case .spring: springText
        }
    }

    var scheme: PasswordHash.Scheme { .scrypt }

    var parameters: [PasswordHash.Parameter] {
        [
            .init("log-n", costs.logN), .init("block-size", costs.blockSize),
            .init("parallelism", costs.parallelism),
        ] + (notation == .phc ? [] : [.init("notation", notation.rawValue)])
    }

    var laneKernels: LaneKernels? { LaneKernels(costs.parameters) }

    func computationCost(passwordByteCount: Int) -> ComputationCost { costs.computationCost }

    /// Computes scrypt with a digest of `count` bytes.
    static func computeDigest(
        of password: Span<UInt8>,
        salt: [UInt8],
        costs: ScryptCosts,
        count: Int,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        do throws(KeyDerivationError) {
            return try Scrypt.deriveKey(
                from: password,
                salt: salt,
                costs.parameters,
                count: count,
                context.scrypt
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
            context
        )
        return computed.withSecretBytes { ConstantTime.areEqual($0, digest.span) }
    }
}
