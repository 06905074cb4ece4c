// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash {
    /// Whether this is a layered hash.
    package var isLayered: Bool { stored is LayeredHash }
}

extension PasswordContext {
    /// Returns whether a layered hash may be the result of ``layer(over:)-(PasswordHash)`` for another hash, as far
    /// as this can be determined without a password.
    package func mightHaveLayered(_ hash: PasswordHash, over older: PasswordHash) -> Bool {
        guard let layered = hash.stored as? LayeredHash, let older = older.stored as? any LayerableScheme
        else {
            return false
        }
        let schemeParameters = layeringParameters
        return layered.inner.description == older.setting.description
            && layered.outer.memoryKiB == schemeParameters.memoryKiB
            && layered.outer.passes == schemeParameters.passes
            && hash.pepperKeyID == pepper?.currentKeyID
    }

    /// Returns whether a layered hash costs an attacker as much as one that this context would make.
    func isLayeredEnough(_ hash: PasswordHash) -> Bool {
        guard let layered = hash.stored as? LayeredHash else { return false }
        return layeringParameters.isStronger(than: layered.outer) != true
            && (pepper == nil || hash.pepperKeyID == pepper?.currentKeyID)
    }

    private var layeringParameters: Argon2idParameters {
        policy.preferred.schemeParameters as? Argon2idParameters ?? Argon2idParameters.owasp
    }

    /// Upgrades a hash of an older scheme with Argon2id, without knowing the password, so that a whole table is
    /// protected at once and not only after each user has logged in.
    ///
    /// ```swift
    /// let layered = try context.layer(over: "$1$abcdefgh$…")
    /// // $layered-argon2id$v=19$m=19456,t=2,p=1,inner=JDEkYWJj…$salt$digest
    /// ```
    ///
    /// The new text does not contain the older digest, so the upgrade cannot be undone. Verifying computes the older
    /// hash of the password and then Argon2id; a match also returns a plain hash to store instead.
    ///
    /// The text is a PHC string. `inner` is the Base64, without padding, of the older hash's text with zeros for its
    /// digest. The input of Argon2id is that text, a NUL byte, and the digest: its bytes for the schemes of LDAP,
    /// Django and PBKDF2 and for hexadecimal digests, its characters for the schemes of crypt(3).
    ///
    /// > Important: If the old table was stolen before the upgrade, or another table with the same scheme and salts
    /// > was, an attacker can try the old digests in place of passwords, each at the price of one Argon2id, and then
    /// > guess the cheap inner hashes of those that match: *password shucking*. Unsalted hashes are exposed to this
    /// > with every other table of unsalted hashes. A pepper prevents it, and so does the plain hash after the next
    /// > login.
    ///
    /// > Important: Password-equivalents of ``Legacy/TimestampedLogin`` cannot be layered: the server computes with
    /// > them at every login.
    ///
    /// - Parameter hash: The older hash.
    /// - Returns: The new text, with the costs of the policy if it prefers Argon2id, otherwise with OWASP's; peppered
    ///   if there is a pepper.
    /// - Throws: ``PasswordError/unsupported`` for a scheme that needs no layer or has no separable digest,
    ///   ``PasswordError/refused``, ``PasswordError/overLimit`` and others as of ``verify(_:against:)-(_,String)``.
    public func layer(over hash: PasswordHash) throws(PasswordError) -> String {
        let older = try checkLayering(over: hash)
        let schemeParameters = layeringParameters
        let input = try LayeredHash.input(of: older)
        let peppered = try pepper.map { (pepper) throws(PasswordError) in
            try input.withSecretBytes { (input) throws(PasswordError) in
                try pepper.apply(pepper.currentKeyID, to: input)
            }
        }
        let outer = try (peppered ?? input).withSecretBytes { (input) throws(PasswordError) in
            try schemeParameters.newHash(of: input, context)
        }
        let layered = text(of: LayeredHash(over: older, outer: outer))
        // The older hash is discarded after this, so a result that cannot be verified would be lost.
        try check(PasswordHash(layered, limits: limits), passwordByteCount: 0)
        return layered
    }

    private func text(of layered: LayeredHash) -> String {
        (pepper.map { PasswordPepper.prefix(keyID: $0.currentKeyID) } ?? "") + layered.description
    }

    /// Returns the hash to layer. Throws what ``layer(over:)-(PasswordHash)`` throws, without computing anything.
    @discardableResult
    func checkLayering(over hash: PasswordHash) throws(PasswordError) -> any LayerableScheme {
        guard hash.pepperKeyID == nil else { throw .unsupported("hashes with a pepper cannot be layered") }
        guard let older = hash.stored as? any LayerableScheme else {
            throw .unsupported(hash.stored.layeringObstacle)
        }
        guard policy.assess(hash) != .refused else {
            throw .refused("the policy does not accept hashes of the scheme \(hash.scheme)")
        }
        let schemeParameters = layeringParameters
        try limits.check(schemeParameters.computationCost(passwordByteCount: 0))
        // A result with zeros in place of salt and digest, which neither the policy nor the limits depend on.
        let outer = Argon2Hash(
            variant: .argon2id,
            memoryKiB: schemeParameters.memoryKiB,
            passes: schemeParameters.passes,
            salt: [UInt8](repeating: 0, count: Argon2.saltByteCount),
            digest: [UInt8](repeating: 0, count: Argon2idParameters.digestByteCount)
        )
        let layered = LayeredHash(over: older, outer: outer)
        guard text(of: layered).utf8.count <= limits.hashByteCount else {
            throw .overLimit("the layered hash would be longer than \(limits.hashByteCount) bytes")
        }
        try check(PasswordHash(layered, pepperKeyID: pepper?.currentKeyID), passwordByteCount: 0)
        return older
    }

    /// Upgrades a hash of an older scheme with Argon2id; see ``layer(over:)-(PasswordHash)``.
    ///
    /// - Parameter hash: The text of the older hash.
    /// - Returns: The new text.
    /// - Throws: ``PasswordError``.
    public func layer(over hash: String) throws(PasswordError) -> String {
        try layer(over: PasswordHash(hash, limits: limits))
    }
}
