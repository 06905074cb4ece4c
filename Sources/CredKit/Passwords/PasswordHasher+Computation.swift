// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHasher {
    /// Whether a stored hash is of a password, without a new hash where it should be replaced.
    package func matches(
        _ password: some SecretInput,
        _ hash: PasswordHash
    ) throws(PasswordError) -> Bool {
        try password.withSecretBytes { (password) throws(PasswordError) in try isMatch(password, hash) }
    }

    /// A new hash of a password whose length was checked.
    func newHash(of password: Span<UInt8>) throws(PasswordError) -> String {
        let recipe = policy.preferred.recipe
        try limits.check(recipe.expense)
        let normalized = try policy.normalization.apply(to: password)
        return try with(normalized, or: password) { (password) throws(PasswordError) in
            guard let pepper else {
                try Self.check(password, longestCString: recipe.longestCString)
                return try recipe.hash(password, context)
            }
            let peppered = try pepper.apply(pepper.currentKeyID, to: password)
            let text = try peppered.withSecretBytes { (password) throws(PasswordError) in
                try recipe.hash(password, context)
            }
            return PasswordPepper.prefix(keyID: pepper.currentKeyID) + text
        }
    }

    /// Whether a hash is of a password. Everything that can be refused is before the first computation.
    func isMatch(_ password: Span<UInt8>, _ hash: PasswordHash) throws(PasswordError) -> Bool {
        try check(hash, passwordByteCount: password.count)
        let normalized = try normalizedForVerifying(password, hash)
        return try with(normalized, or: password) { (password) throws(PasswordError) in
            let input = try hash.stored.input(for: password, context)
            return try with(input, or: password) { (input) throws(PasswordError) in
                guard let keyID = hash.pepperKeyID else { return try hash.stored.matches(input, context) }
                guard let pepper else {
                    throw .unknownKey("the hash was made with a pepper, and none is at hand")
                }
                let peppered = try pepper.apply(keyID, to: input)
                return try peppered.withSecretBytes { (input) throws(PasswordError) in
                    try hash.stored.matches(input, context)
                }
            }
        }
    }

    /// Refuses to verify what the policy does not accept or the limits do not allow.
    func check(_ hash: PasswordHash, passwordByteCount: Int) throws(PasswordError) {
        try limits.check(passwordByteCount: passwordByteCount)
        guard policy.assess(hash) != .refused else {
            throw .refused("the policy does not accept hashes of the scheme \(hash.scheme)")
        }
        guard !policy.requiresPepper || hash.pepperKeyID != nil else {
            throw .pepperRequired("the policy requires a pepper, and the hash was made without one")
        }
        if let keyID = hash.pepperKeyID { try pepper.check(keyID) }
        try limits.check(hash.stored.expense(passwordByteCount: passwordByteCount))
    }

    /// Hashes of other schemes than the preferred one were made of the bytes as they were. A password that has no
    /// normal form was never hashed, so that it is compared as it is and does not match.
    private func normalizedForVerifying(
        _ password: Span<UInt8>,
        _ hash: PasswordHash
    ) throws(PasswordError) -> SecretBytes? {
        guard hash.scheme == policy.preferred.scheme else { return nil }
        do throws(PasswordError) {
            return try policy.normalization.apply(to: password)
        } catch .passwordNotAllowed {
            return nil
        }
    }

    private func with<Result>(
        _ secret: SecretBytes?,
        or password: Span<UInt8>,
        _ body: (Span<UInt8>) throws(PasswordError) -> Result
    ) throws(PasswordError) -> Result {
        guard let secret else { return try body(password) }
        return try secret.withSecretBytes(body)
    }

    private static func check(_ password: Span<UInt8>, longestCString: Int?) throws(PasswordError) {
        guard let longestCString else { return }
        guard password.count <= longestCString else {
            throw .passwordTooLong(
                "the password is too long: this scheme takes at most \(longestCString) bytes of it into account"
            )
        }
        guard password.indices.allSatisfy({ password[$0] != 0 }) else { throw .passwordContainsNUL }
    }
}
