// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Hashes passwords, and verifies them against stored hashes of any scheme.
///
/// ```swift
/// let context = PasswordContext()
/// let record = try context.hash(password)                       // "$argon2id$v=19$m=19456,t=2,p=1$…"
/// switch try context.verify(password, against: record) {
/// case .match(rehashed: let newer?): save(newer)               // weaker than the policy; only if record is still stored
/// case .match: break
/// case .mismatch: deny()
/// }                                                            // malformed, over a limit, unsupported: thrown
/// ```
///
/// A call computes for tens of milliseconds and uses megabytes of memory on the calling thread. An asynchronous
/// server calls `PasswordService` of the module `CredKitServer` instead, which also answers for an unknown user in
/// the same time as for a known one.
public struct PasswordContext: Sendable {
    /// The policy for new and stored hashes.
    public let policy: PasswordPolicy

    /// The maximum cost of one call.
    public let limits: PasswordLimits

    let pepper: PasswordPepper?
    let context: HashingContext

    /// Creates a context with ``PasswordPolicy/recommended`` and ``PasswordLimits/standard``.
    public init() {
        policy = .recommended
        limits = .standard
        pepper = nil
        context = HashingContext(limits: .standard, legacyKeys: [:])
    }

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - policy: The policy for new and stored hashes.
    ///   - limits: The maximum cost of one call.
    ///   - pepper: The keys that are applied to passwords before they are hashed, if there are any.
    ///   - legacyKeys: Keys of HMAC-MD5 tables by the identifier that the hashes name; see
    ///     ``PasswordHash/LegacyHexAlgorithm/hmacMD5(keyID:)``.
    /// - Throws: ``PasswordError/overLimit`` if the policy's own hashes exceed the limits, because a hash must not be
    ///   made that could not be verified; ``PasswordError/pepperRequired``; ``PasswordError/invalidParameters`` for a
    ///   pepper with a scheme that cannot have one.
    public init(
        policy: PasswordPolicy,
        limits: PasswordLimits = .standard,
        pepper: PasswordPepper? = nil,
        legacyKeys: [String: SecretBytes] = [:]
    ) throws(PasswordError) {
        let leastCount = pepper == nil ? 0 : PasswordPepper.outputByteCount
        try limits.check(policy.preferred.schemeParameters.computationCost(passwordByteCount: leastCount))
        guard !policy.requiresPepper || pepper != nil else {
            throw .pepperRequired("the policy requires a pepper, and none was given")
        }
        if pepper != nil, let obstacle = policy.preferred.schemeParameters.pepperObstacle {
            throw .invalidParameters(obstacle)
        }
        self.init(verifyingBy: policy, limits: limits, pepper: pepper, legacyKeys: legacyKeys)
    }

    /// Creates a context for verifying only, whose limits may be too low for new hashes.
    package init(
        verifyingBy policy: PasswordPolicy,
        limits: PasswordLimits,
        pepper: PasswordPepper?,
        legacyKeys: [String: SecretBytes]
    ) {
        self.policy = policy
        self.limits = limits
        self.pepper = pepper
        context = HashingContext(
            limits: limits,
            legacyKeys: legacyKeys,
            argon2: Argon2.Computation(
                implementation: policy.argon2Implementation,
                locksMemory: policy.locksArgon2Memory,
                threads: policy.argon2Threads
            )
        )
    }

    /// Creates a copy for a service: another thread can end its computations, where their implementation allows it, and the time of
    /// each does not depend on the hash that was verified before, which can be another user's. The service limits how many threads
    /// compute at once, so each computation has one.
    package init(_ other: PasswordContext, interruption: Interruption) {
        policy = other.policy
        limits = other.limits
        pepper = other.pepper
        var context = other.context
        context.argon2.interruption = interruption
        context.argon2.keepsMemory = false
        context.argon2.threads = 1
        context.sharesMemory = true
        self.context = context
    }

    /// Hashes a password with a new salt.
    ///
    /// - Parameter password: The password, at most ``PasswordLimits/passwordByteCount`` bytes. Without a pepper,
    ///   bcrypt accepts at most 72 bytes, the other schemes of crypt(3) at most 511, and none of them a NUL.
    /// - Returns: The text of the hash. Nothing else needs to be stored.
    /// - Throws: ``PasswordError/passwordTooLong``, ``PasswordError/passwordContainsNUL``,
    ///   ``PasswordError/passwordNotAllowed``, ``PasswordError/outOfMemory``.
    public func hash(_ password: some SecretInput) throws(PasswordError) -> String {
        try password.withSecretBytes { (password) throws(PasswordError) in
            try limits.check(passwordByteCount: password.count)
            return try newHash(of: password, policy.preferred)
        }
    }

    /// Verifies a password against a stored hash.
    ///
    /// No new hash is returned if the stored one's scheme ignores a part of this password (DES beyond 8 bytes, bcrypt
    /// beyond 72 bytes or a NUL): a typing error in that part would become the password. Ask the user for a new
    /// password in this case.
    ///
    /// A hash behind a name in braces (`{SSHA512}…` of Dovecot or OpenLDAP, `{bcrypt}…` of Spring Security) is replaced by a text
    /// that all systems of the name read: of the policy's preferred scheme, or of an accepted one. If they read none of these,
    /// there is no new hash: OpenLDAP would take one without the name for the password itself. With a pepper the new hash has
    /// no name: only CredKit verifies it.
    ///
    /// The computation never exceeds ``limits``, even if the hash asks for more. The time of the comparison does not depend
    /// on where two digests differ.
    ///
    /// - Parameters:
    ///   - password: The password, at most ``PasswordLimits/passwordByteCount`` bytes.
    ///   - hash: The text of the stored hash.
    /// - Returns: The result, and a new hash if the stored one should be replaced.
    /// - Throws: ``PasswordError`` if there is no result: the text is malformed, of an unknown or refused scheme, or
    ///   over a limit; a key is missing or memory is insufficient; or the scheme does not support such a password.
    public func verify(
        _ password: some SecretInput,
        against hash: String
    ) throws(PasswordError) -> PasswordVerification {
        try verify(password, against: PasswordHash(hash, limits: limits))
    }

    /// Verifies a password against a stored hash.
    ///
    /// - Parameters:
    ///   - password: The password, at most ``PasswordLimits/passwordByteCount`` bytes.
    ///   - hash: The stored hash, already parsed.
    /// - Returns: The result, and a new hash if the stored one should be replaced.
    /// - Throws: ``PasswordError`` if there is no result.
    public func verify(
        _ password: some SecretInput,
        against hash: PasswordHash
    ) throws(PasswordError) -> PasswordVerification {
        try password.withSecretBytes { (password) throws(PasswordError) in
            guard try isMatch(password, hash) else { return .mismatch }
            // If bytes of the password are ignored, the typed text may differ from the user's intended password.
            guard assess(hash) != .current, !hash.stored.ignoresBytes(of: password) else {
                return .match(rehashed: nil)
            }
            // The password matches. A failure to make the new hash, because the preferred scheme does not support
            // this password or memory is short, does not change that.
            return .match(rehashed: try? upgrade(of: hash, password))
        }
    }

    /// Assesses a stored hash by the policy, pepper included.
    ///
    /// - Parameter hash: The hash.
    /// - Returns: The status.
    public func assess(_ hash: PasswordHash) -> PasswordHashStatus {
        let hashStatus = policy.assess(hash)
        // If there is a current pepper, a hash without it is weaker.
        let isPeppered =
            pepper == nil || hash.pepperKeyID == pepper?.currentKeyID || hash.isUnusable
        return hashStatus == .current && !isPeppered ? .weaker : hashStatus
    }
}
