// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A stored hash, taken apart for inspection.
///
/// ```swift
/// let hash = try PasswordHash("$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW")
/// hash.scheme                    // bcrypt
/// hash.parameters                // [cost 12, variant 2b]
/// String(describing: hash)       // the text again, byte for byte
/// ```
///
/// Programs store and pass hashes as plain strings; ``PasswordHasher`` reads them itself. Making this value
/// computes nothing, whatever the hash would cost to check.
public struct PasswordHash: Sendable, Hashable, CustomStringConvertible {
    /// A scheme's name, for instance ``argon2id``; the folder of each scheme has its own.
    public struct Scheme: Sendable, Hashable, CustomStringConvertible {
        /// The name as the command knows it.
        public let name: String

        init(_ name: String) { self.name = name }

        /// Every scheme that CredKit knows.
        public static let all: [Scheme] = PasswordSchemes.all.flatMap { $0.schemes }

        /// The scheme of a name, `nil` if there is none.
        ///
        /// - Parameter name: A name such as `argon2id` or `md5-crypt`.
        public init?(name: String) {
            guard let scheme = Self.all.first(where: { $0.name == name }) else { return nil }
            self = scheme
        }

        /// The name.
        public var description: String { name }
    }

    /// Something that the text of a hash states.
    public struct Parameter: Sendable, Hashable, CustomStringConvertible {
        /// What is stated: `memory`, `passes`, `rounds`, `variant` …
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

    /// Reads the text of a hash.
    ///
    /// - Parameters:
    ///   - text: The text, all of it: a byte too many is an error.
    ///   - limits: Only ``PasswordLimits/hashByteCount`` counts here.
    /// - Throws: ``PasswordError/unrecognized`` for a text that is of no known scheme,
    ///   ``PasswordError/malformed``, ``PasswordError/unsupported`` or ``PasswordError/overLimit``.
    public init(_ text: String, limits: PasswordLimits = .standard) throws(PasswordError) {
        guard text.utf8.count <= limits.hashByteCount else {
            throw .overLimit("the hash string is longer than \(limits.hashByteCount) bytes")
        }
        if let (keyID, rest) = try PasswordPepper.split(text) {
            pepperKeyID = keyID
            stored = try PasswordSchemes.parse(part: rest)
            guard stored is LayeredHash || PasswordSchemes.maker(of: stored.scheme) != nil else {
                throw .malformed("a pepper stands before a scheme that is never peppered")
            }
        } else {
            pepperKeyID = nil
            stored = try PasswordSchemes.parse(text)
        }
    }

    init(_ stored: any PasswordScheme) {
        self.stored = stored
        pepperKeyID = nil
    }

    /// The scheme.
    public var scheme: Scheme { stored.scheme }

    /// The costs and variants that the text states.
    public var parameters: [Parameter] { stored.parameters }

    /// The salt; empty where there is none.
    public var salt: [UInt8] { stored.salt }

    /// The digest; for the schemes of crypt(3) the bytes of its text.
    public var digest: [UInt8] { stored.digest }

    /// The memory that checking the hash takes, in bytes.
    public var memoryByteCount: Int { stored.expense(passwordByteCount: 0).memoryByteCount }

    /// The time that checking the hash takes on one core of a server of the 2020s, in seconds: reckoned, within a
    /// factor of three.
    public var estimatedSeconds: Double { stored.expense(passwordByteCount: 0).seconds }

    /// What the scheme is weak against whatever its cost, a sentence for people; `nil` for schemes that are fit for new
    /// hashes.
    public var weakness: String? { stored.weakness }

    /// The text of the hash, byte for byte as it was read. It is no secret in the sense of a key, and still
    /// nothing for a log: whoever has it can guess the password offline.
    public var description: String {
        pepperKeyID.map { PasswordPepper.prefix(keyID: $0) + stored.description } ?? stored.description
    }

    /// Whether two hashes have the same text.
    public static func == (left: Self, right: Self) -> Bool { left.description == right.description }

    /// Feeds the text to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
