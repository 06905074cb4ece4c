// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordContext {
    /// Returns whether a password matches a stored hash, without making a new hash if the stored one should be
    /// replaced.
    package func matches(
        _ password: some SecretInput,
        _ hash: PasswordHash
    ) throws(PasswordError) -> Bool {
        try password.withSecretBytes { (password) throws(PasswordError) in try isMatch(password, hash) }
    }

    /// Makes a new hash of a password whose length was checked.
    func newHash(of password: Span<UInt8>, _ parameters: PasswordParameters) throws(PasswordError) -> String {
        let schemeParameters = parameters.schemeParameters
        let normalized = try normalizes(parameters.scheme) ? policy.normalization.apply(to: password) : nil
        return try with(normalized, or: password) { (password) throws(PasswordError) in
            guard let pepper else {
                try Self.check(password, longestCString: schemeParameters.longestCString)
                try limits.check(schemeParameters.computationCost(passwordByteCount: password.count))
                return try schemeParameters.hash(password, context)
            }
            if let obstacle = schemeParameters.pepperObstacle { throw .invalidParameters(obstacle) }
            try limits.check(
                schemeParameters.computationCost(passwordByteCount: PasswordPepper.outputByteCount)
            )
            let peppered = try pepper.apply(pepper.currentKeyID, to: password)
            let text = try peppered.withSecretBytes { (password) throws(PasswordError) in
                try schemeParameters.hash(password, context)
            }
            return PasswordPepper.prefix(keyID: pepper.currentKeyID) + text
        }
    }

    /// Makes the hash that replaces a stored one. Behind a name in braces it stays readable for all systems of the name.
    func upgrade(of hash: PasswordHash, _ password: Span<UInt8>) throws(PasswordError) -> String {
        guard let parameters = replacementParameters(of: hash) else {
            throw .unsupported("the policy accepts no scheme that all systems of the name in braces read")
        }
        let text = try newHash(of: password, parameters)
        guard pepper == nil, hash.needsName else { return text }
        guard let notation = try PasswordHash(text, limits: limits).notation(replacing: hash),
            notation.utf8.count <= limits.hashByteCount
        else { throw .unsupported("the systems of the name in braces do not read the new hash") }
        return notation
    }

    /// Returns the parameters of the hash that replaces a stored one; `nil` if none should.
    ///
    /// If the stored hash lacks only the pepper, they are its own, whose costs may be higher than the policy's. Systems take a
    /// text without a name in braces for the password itself, or do not read it: so behind such a name, the scheme is one that
    /// all systems of the name read, the policy's preferred one, or of the accepted ones the one with the most memory.
    func replacementParameters(of hash: PasswordHash) -> PasswordParameters? {
        guard pepper == nil, hash.needsName else {
            guard policy.assess(hash) == .current, let own = PasswordParameters(of: hash),
                own.schemeParameters.pepperObstacle == nil
            else { return policy.preferred }
            return own
        }
        let accepted = policy.accepted.sorted { $0.memory > $1.memory }
        return ([policy.preferred] + accepted).first { hash.nameOfReplacement($0.scheme) != nil }
    }

    /// Returns whether a password matches a hash. All checks that can reject the hash precede the first computation.
    func isMatch(_ password: Span<UInt8>, _ hash: PasswordHash) throws(PasswordError) -> Bool {
        try check(hash, passwordByteCount: password.count)
        let normalized = normalizes(hash.scheme) ? normalizedIfPossible(password) : nil
        return try with(normalized, or: password) { (password) throws(PasswordError) in
            let input = try hash.stored.input(for: password, context)
            return try with(input, or: password) { (input) throws(PasswordError) in
                // The check above ensured that the key is available.
                guard let keyID = hash.pepperKeyID, let pepper else {
                    return try hash.stored.matches(input, context)
                }
                let peppered = try pepper.apply(keyID, to: input)
                return try peppered.withSecretBytes { (input) throws(PasswordError) in
                    try hash.stored.matches(input, context)
                }
            }
        }
    }

    /// Throws if the policy does not accept the hash, or the limits do not allow verifying it.
    package func check(_ hash: PasswordHash, passwordByteCount: Int) throws(PasswordError) {
        try limits.check(passwordByteCount: passwordByteCount)
        guard policy.assess(hash) != .refused else {
            throw .refused("the policy does not accept hashes of the scheme \(hash.scheme)")
        }
        guard !policy.requiresPepper || hash.pepperKeyID != nil || hash.isUnusable else {
            throw .pepperRequired("the policy requires a pepper, and the hash was made without one")
        }
        if let keyID = hash.pepperKeyID { try pepper.check(keyID) }
        try limits.check(hash.stored.computationCost(passwordByteCount: 0))
        let isHashedWhole = hash.pepperKeyID == nil || hash.isLayered
        do throws(PasswordError) {
            let count = isHashedWhole ? passwordByteCount : PasswordPepper.outputByteCount
            try limits.check(hash.stored.computationCost(passwordByteCount: count))
        } catch {
            throw .passwordTooLong(
                "the password is too long for this hash: verifying it would exceed the time limit"
            )
        }
    }

    /// Returns whether passwords are normalized before they are hashed with a scheme.
    private func normalizes(_ scheme: PasswordHash.Scheme) -> Bool {
        scheme == policy.preferred.scheme || policy.normalizedSchemes.contains(scheme)
    }

    /// Returns the normal form of a password, or `nil` if it has none. A password without a normal form was never
    /// hashed, so it is compared unchanged and does not match.
    func normalizedIfPossible(_ password: Span<UInt8>) -> SecretBytes? {
        do throws(PasswordError) {
            return try policy.normalization.apply(to: password)
        } catch {
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
                "the password is too long: this scheme hashes at most \(longestCString) bytes"
            )
        }
        guard password.indices.allSatisfy({ password[$0] != 0 }) else { throw .passwordContainsNUL }
    }
}
