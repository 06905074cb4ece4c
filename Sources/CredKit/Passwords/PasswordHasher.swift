// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Hashes passwords, and verifies them against stored hashes of any scheme.
///
/// ```swift
/// let hasher = PasswordHasher()
/// let record = try hasher.hash(password)                       // "$argon2id$v=19$m=19456,t=2,p=1$…"
/// switch try hasher.verify(password, against: record) {
/// case .match(upgraded: let newer?): save(newer)               // the stored hash was weaker than the policy
/// case .match: break
/// case .mismatch: deny()
/// }                                                            // malformed, over a limit, unsupported: thrown
/// ```
///
/// A call computes for tens of milliseconds and holds megabytes on the thread it is made on. An asynchronous server
/// calls `PasswordService` of the module `CredKitServer` instead, which also answers for an unknown user in the
/// same time as for a known one.
public struct PasswordHasher: Sendable {
    /// How new hashes are made and old ones judged.
    public let policy: PasswordPolicy

    /// What one call may cost.
    public let limits: PasswordLimits

    let pepper: PasswordPepper?
    let context: PasswordContext

    /// A hasher by ``PasswordPolicy/recommended``, within ``PasswordLimits/standard``.
    public init() {
        policy = .recommended
        limits = .standard
        pepper = nil
        context = PasswordContext(limits: .standard, legacyKeys: [:])
    }

    /// A hasher.
    ///
    /// - Parameters:
    ///   - policy: How new hashes are made and old ones judged.
    ///   - limits: What one call may cost.
    ///   - pepper: The keys that passwords pass through before they are hashed, if there are any.
    ///   - legacyKeys: Keys of HMAC-MD5 tables by the identifier that the hashes name; see
    ///     ``PasswordHash/HexDigestOrigin/hmacMD5(keyID:)``.
    /// - Throws: ``PasswordError/overLimit`` when the policy's own hashes would be over the limits, so that nothing is
    ///   made that could not be verified; ``PasswordError/pepperRequired``.
    public init(
        policy: PasswordPolicy,
        limits: PasswordLimits = .standard,
        pepper: PasswordPepper? = nil,
        legacyKeys: [String: SecretBytes] = [:]
    ) throws(PasswordError) {
        let leastCount = pepper == nil ? 0 : PasswordPepper.outputByteCount
        try limits.check(policy.preferred.recipe.expense(passwordByteCount: leastCount))
        guard !policy.requiresPepper || pepper != nil else {
            throw .pepperRequired("the policy requires a pepper, and none was given")
        }
        self.init(verifyingBy: policy, limits: limits, pepper: pepper, legacyKeys: legacyKeys)
    }

    /// A hasher whose limits may be too low for new hashes, so that it is for verifying only.
    package init(
        verifyingBy policy: PasswordPolicy,
        limits: PasswordLimits,
        pepper: PasswordPepper?,
        legacyKeys: [String: SecretBytes]
    ) {
        self.policy = policy
        self.limits = limits
        self.pepper = pepper
        context = PasswordContext(limits: limits, legacyKeys: legacyKeys)
    }

    /// A new hash of a password, with a new salt.
    ///
    /// - Parameter password: The password, at most ``PasswordLimits/passwordByteCount`` bytes; bcrypt takes at most 72,
    ///   the other schemes of crypt(3) 511, and none of these a NUL, unless there is a pepper.
    /// - Returns: The hash's text, which is all that is to be stored.
    /// - Throws: ``PasswordError/passwordTooLong``, ``PasswordError/passwordContainsNUL``,
    ///   ``PasswordError/passwordNotAllowed``, ``PasswordError/outOfMemory``.
    public func hash(_ password: some SecretInput) throws(PasswordError) -> String {
        try password.withSecretBytes { (password) throws(PasswordError) in
            try limits.check(passwordByteCount: password.count)
            return try newHash(of: password, policy.preferred)
        }
    }

    /// Whether a stored hash is of a password.
    ///
    /// A new hash is not offered where the stored one's scheme ignores a part of this password (DES beyond 8 bytes,
    /// bcrypt beyond 72 or a NUL): a slip in that part would become the password. Ask for a new one then.
    ///
    /// Whatever the hash says, no more is computed than ``limits`` allow. Comparing takes the same time wherever two
    /// digests differ.
    ///
    /// - Parameters:
    ///   - password: The password, at most ``PasswordLimits/passwordByteCount`` bytes.
    ///   - hash: The stored text.
    /// - Returns: The answer, and a new hash where the stored one should be replaced.
    /// - Throws: ``PasswordError`` where there is no answer: the text is malformed, of an unknown or refused scheme,
    ///   over a limit; a key or memory is missing; or the scheme cannot have such a password.
    public func verify(
        _ password: some SecretInput,
        against hash: String
    ) throws(PasswordError) -> PasswordVerification {
        try verify(password, against: PasswordHash(hash, limits: limits))
    }

    /// Whether a stored hash is of a password.
    ///
    /// - Parameters:
    ///   - password: The password, at most ``PasswordLimits/passwordByteCount`` bytes.
    ///   - hash: The stored hash, read before.
    /// - Returns: The answer, and a new hash where the stored one should be replaced.
    /// - Throws: ``PasswordError`` where there is no answer.
    public func verify(
        _ password: some SecretInput,
        against hash: PasswordHash
    ) throws(PasswordError) -> PasswordVerification {
        try password.withSecretBytes { (password) throws(PasswordError) in
            guard try isMatch(password, hash) else { return .mismatch }
            // Where bytes of the password do not count, what was typed may not be what the user takes it for.
            guard assess(hash) != .current, !hash.stored.ignoresBytes(of: password) else {
                return .match(upgraded: nil)
            }
            // The answer is known. That a new hash cannot be made, since the preferred scheme cannot have this password
            // or memory is short, does not take it back.
            return .match(upgraded: try? upgrade(of: hash, password))
        }
    }

    /// How a stored hash stands to the policy, its pepper included.
    ///
    /// - Parameter hash: The hash.
    /// - Returns: The judgement.
    public func assess(_ hash: PasswordHash) -> PasswordAssessment {
        let assessment = policy.assess(hash)
        // A hash under no pepper or an old one, where there is a current one, is weaker.
        let isPeppered = pepper == nil || hash.pepperKeyID == pepper?.currentKeyID
        return assessment == .current && !isPeppered ? .weaker : assessment
    }
}
