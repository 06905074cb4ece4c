// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A stored hash of one scheme, parsed from its text: its parameters, its cost, and its verification.
///
/// All code above the schemes (``PasswordHash``, ``PasswordPolicy``, the command) uses them only through this
/// protocol and the list in ``PasswordSchemes``.
protocol PasswordScheme: Sendable {
    /// The schemes that texts of this kind can have.
    static var schemes: [PasswordHash.Scheme] { get }

    /// Returns whether a text claims to be of this scheme, by its beginning. It may still be malformed.
    static func recognizes(_ text: String) -> Bool

    /// The algorithms for new hashes, one per scheme that new hashes can have.
    static var algorithms: [PasswordAlgorithm] { get }

    /// Parses a text that was recognized. It contains printable ASCII only. Parsing never calls a backend.
    init(parsing text: String) throws(PasswordError)

    /// The text, byte for byte.
    var description: String { get }

    /// The scheme of the hash.
    var scheme: PasswordHash.Scheme { get }

    /// The same hash without a prefix that is only a notation, for comparisons with the parameters of a policy.
    var unprefixed: any PasswordScheme { get }

    /// The costs and variants that the text states, for people.
    var parameters: [PasswordHash.Parameter] { get }

    /// The systems that write texts of this form, as their makers spell them; empty if the text names none, or too many do.
    var systems: [String] { get }

    /// The salt; empty if the scheme has none.
    var salt: [UInt8] { get }

    /// The digest; for the schemes of crypt(3), whose encodings differ, the bytes of the digest's text.
    var digest: [UInt8] { get }

    /// The weakness of the scheme at any cost, for people; `nil` for schemes that are fit for new hashes.
    var weakness: String? { get }

    /// The reason why the hash cannot be layered, for people.
    var layeringObstacle: String { get }

    /// What computes most of a verification beside others; `nil` if it computes alone.
    var laneKernels: LaneKernels? { get }

    /// Returns the cost of one verification.
    func computationCost(passwordByteCount: Int) -> ComputationCost

    /// Returns the input of the hash if it is computed from the password; `nil` if it is the password itself. A
    /// pepper is applied to this input.
    func input(for password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> SecretBytes?

    /// Returns whether the scheme ignores a part of the password.
    func ignoresBytes(of password: Span<UInt8>) -> Bool

    /// Returns whether a password matches the hash. The caller has checked the cost against the limits.
    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool
}

extension PasswordScheme {
    static var algorithms: [PasswordAlgorithm] { [] }

    var weakness: String? { nil }

    var systems: [String] { [] }

    var laneKernels: LaneKernels? { nil }

    var unprefixed: any PasswordScheme { self }

    var layeringObstacle: String { "hashes of the scheme \(scheme) cannot be layered" }

    func ignoresBytes(of password: Span<UInt8>) -> Bool { false }

    func input(for password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> SecretBytes? {
        nil
    }
}

/// A scheme whose digest can be computed from a password and the rest of the text. The other schemes leave the
/// comparison to a backend.
///
/// Such a hash can be the inner hash of a ``LayeredHash``, which stores the ``setting`` without the digest.
protocol LayerableScheme: PasswordScheme {
    /// Returns the ``PasswordScheme/digest`` that a hash of this password with the same parameters would have.
    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes

    /// The same hash with zeros for its digest, in the encoding of its text.
    var setting: Self { get }
}

extension LayerableScheme {
    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        let computed = try computeDigest(of: password, context)
        return computed.withSecretBytes { ConstantTime.areEqual($0, digest.span) }
    }
}

/// A scheme whose text stores the digest as bytes of their own. By default it is one digest without a salt.
protocol ByteDigestScheme: LayerableScheme {
    var digest: [UInt8] { get set }
}

extension ByteDigestScheme {
    var salt: [UInt8] { [] }

    var parameters: [PasswordHash.Parameter] { [] }

    var setting: Self {
        var copy = self
        copy.digest = [UInt8](repeating: 0, count: digest.count)
        return copy
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost { ComputationCost(seconds: 10e-6) }
}

/// The values besides password and hash that verifying and hashing depend on.
struct HashingContext: Sendable {
    let limits: PasswordLimits
    let legacyKeys: [String: SecretBytes]
    var argon2 = Argon2.Computation()

    /// Ends a computation early, where its implementation allows it.
    var interruption: Interruption { argon2.interruption }
    /// Whether other computations share the limit of memory, so that each takes as little as it can.
    var sharesMemory = false

    var scrypt: Scrypt.Computation {
        Scrypt.Computation(
            memoryLimit: limits.memory,
            usesSpareMemory: !sharesMemory,
            keepsMemory: argon2.keepsMemory,
            interruption: argon2.interruption
        )
    }
}
