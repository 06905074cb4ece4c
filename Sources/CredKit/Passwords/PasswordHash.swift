// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A stored hash, parsed for inspection.
///
/// ```swift
/// let hash = try PasswordHash("$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW")
/// hash.scheme                    // bcrypt
/// hash.parameters                // [cost 12, variant 2b]
/// String(describing: hash)       // the text again, byte for byte
/// ```
///
/// Programs store and pass hashes as plain strings, which ``PasswordContext`` parses itself. Creating this value
/// computes nothing, however expensive the hash is to verify.
public struct PasswordHash: Sendable, Hashable, CustomStringConvertible {
    /// The name of a scheme, for instance ``argon2id``. Each scheme declares its own name.
    public struct Scheme: Sendable, Hashable, CustomStringConvertible {
        /// The name that the `credkit` command uses.
        public let name: String

        init(_ name: String) { self.name = name }

        /// All schemes that CredKit supports.
        public static let all: [Scheme] = PasswordSchemes.all.flatMap { $0.schemes }

        /// Creates the scheme of a name; `nil` if there is none.
        ///
        /// - Parameter name: A name such as `argon2id` or `md5-crypt`.
        public init?(name: String) {
            guard let scheme = Self.all.first(where: { $0.name == name }) else { return nil }
            self = scheme
        }

        /// The name.
        public var description: String { name }
    }

    /// A parameter that the text of a hash states.
    public struct Parameter: Sendable, Hashable, CustomStringConvertible {
        /// The name of the parameter: `memory`, `passes`, `rounds`, `variant` …
        public let name: String
        /// The value; memory in KiB.
        public let value: String

        init(_ name: String, _ value: some CustomStringConvertible) {
            self.name = name
            self.value = "\(value)"
        }

        /// `name=value`.
        public var description: String { "\(name)=\(value)" }
    }

    let stored: any PasswordScheme

    /// The identifier of the pepper's key, if the hash is peppered.
    public let pepperKeyID: String?

    /// Parses the text of a hash.
    ///
    /// - Parameters:
    ///   - text: The complete text. Any additional byte is an error.
    ///   - limits: The limits, of which only ``PasswordLimits/hashByteCount`` applies here.
    /// - Throws: ``PasswordError/unrecognized`` for a text of no known scheme, ``PasswordError/malformed``,
    ///   ``PasswordError/unsupported`` or ``PasswordError/overLimit``.
    public init(_ text: String, limits: PasswordLimits = .standard) throws(PasswordError) {
        guard text.utf8.count <= limits.hashByteCount else {
            throw .overLimit("the hash string is longer than \(limits.hashByteCount) bytes")
        }
        if let (keyID, rest) = try PasswordPepper.split(text) {
            pepperKeyID = keyID
            stored = try PasswordSchemes.parse(part: rest)
            guard stored is LayeredHash || PasswordSchemes.algorithm(of: stored.scheme) != nil else {
                throw .malformed("hashes of this scheme cannot have a pepper")
            }
        } else {
            pepperKeyID = nil
            stored = try PasswordSchemes.parse(text)
        }
    }

    init(_ stored: any PasswordScheme, pepperKeyID: String? = nil) {
        self.stored = stored
        self.pepperKeyID = pepperKeyID
    }

    /// The scheme.
    public var scheme: Scheme { stored.scheme }

    /// The costs and variants that the text states.
    public var parameters: [Parameter] { stored.parameters }

    /// The salt; empty if there is none.
    public var salt: [UInt8] { stored.salt }

    /// The digest; for the schemes of crypt(3) the bytes of the digest's text.
    public var digest: [UInt8] { stored.digest }

    /// The memory that verifying the hash takes.
    public var memory: MemorySize { stored.computationCost(passwordByteCount: 0).memory }

    /// The time that verifying the hash takes on one core of a server of the 2020s. It is estimated, accurate to a
    /// factor of three.
    public var estimatedTime: Duration { stored.computationCost(passwordByteCount: 0).time }

    /// The weakness of the scheme at any cost, as a sentence for people; `nil` for schemes that are fit for new
    /// hashes.
    public var weakness: String? { stored.weakness }

    /// The text of the hash, byte for byte as it was read. It is not as secret as a key, but must not be logged:
    /// anyone who has it can guess the password offline.
    public var description: String {
        pepperKeyID.map { PasswordPepper.prefix(keyID: $0) + stored.description } ?? stored.description
    }

    /// Returns whether two hashes have the same text.
    public static func == (left: Self, right: Self) -> Bool { left.description == right.description }

    /// Feeds the text to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
