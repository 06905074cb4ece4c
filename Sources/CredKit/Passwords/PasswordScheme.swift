// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A stored hash of one scheme, read from its text: what it says, what checking it takes, and how to do so.
///
/// Everything above the schemes (``PasswordHash``, ``PasswordPolicy``, the command) knows them through this
/// protocol and the list in ``PasswordSchemes`` only.
protocol PasswordScheme: Sendable {
    /// The names that texts of this kind can have.
    static var schemes: [PasswordHash.Scheme] { get }

    /// Whether a text claims to be of this scheme, by how it begins. It may still be malformed.
    static func recognizes(_ text: String) -> Bool

    /// How new hashes of the scheme are made, where that can be done: one entry a name.
    static var makers: [PasswordMaker] { get }

    /// Reads a text that was recognised. It has printable ASCII only. Reading never calls a backend.
    init(parsing text: String) throws(PasswordError)

    /// The text, byte for byte.
    var description: String { get }

    /// Which scheme it is.
    var scheme: PasswordHash.Scheme { get }

    /// The costs and variants that the text states, for people.
    var parameters: [PasswordHash.Parameter] { get }

    /// The salt, empty where the scheme has none.
    var salt: [UInt8] { get }

    /// The digest; for the schemes of crypt(3), whose encodings differ, the bytes of its text.
    var digest: [UInt8] { get }

    /// What the scheme is weak against whatever its cost, for people; `nil` for those that are fit for new hashes.
    var weakness: String? { get }

    /// What one check takes.
    func expense(passwordByteCount: Int) -> PasswordExpense

    /// What the hash is made of where that is not the password itself but something computed from it. A pepper is
    /// applied to that.
    func input(for password: Span<UInt8>, _ context: PasswordContext) throws(PasswordError) -> SecretBytes?

    /// Whether the scheme does not take the whole of a password into account.
    func ignoresBytes(of password: Span<UInt8>) -> Bool

    /// Whether a hash is of this password. Called after the expense was found to be within the limits.
    func matches(_ password: Span<UInt8>, _ context: PasswordContext) throws(PasswordError) -> Bool
}

extension PasswordScheme {
    static var makers: [PasswordMaker] { [] }

    var weakness: String? { nil }

    func ignoresBytes(of password: Span<UInt8>) -> Bool { false }

    func input(for password: Span<UInt8>, _ context: PasswordContext) throws(PasswordError) -> SecretBytes? {
        nil
    }
}

/// A scheme whose digest can be computed from a password and the rest of the text. All others leave comparing to
/// a backend.
///
/// Such a hash can stand below a ``LayeredHash``, which keeps the ``setting`` and not the digest.
protocol LayerableScheme: PasswordScheme {
    /// What ``PasswordScheme/digest`` would be if the hash were of this password.
    func computeDigest(
        of password: Span<UInt8>,
        _ context: PasswordContext
    ) throws(PasswordError) -> SecretBytes

    /// The same hash with zeros for its digest, in the encoding of its text.
    var setting: Self { get }
}

extension LayerableScheme {
    func matches(_ password: Span<UInt8>, _ context: PasswordContext) throws(PasswordError) -> Bool {
        let computed = try computeDigest(of: password, context)
        return computed.withSecretBytes { ConstantTime.areEqual($0, digest.span) }
    }
}

/// What checking and making hashes depends on beside password and hash.
struct PasswordContext: Sendable {
    let limits: PasswordLimits
    let legacyKeys: [String: SecretBytes]
}
