// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash {
    /// Returns the text that a system reads as this hash in its own table, with the name in braces before it.
    ///
    /// ```swift
    /// try PasswordHash("$argon2id$v=19$…").notation(for: .dovecot)   // {ARGON2ID}$argon2id$v=19$…
    /// ```
    ///
    /// Without that name, OpenLDAP takes the text itself for the password, and Dovecot for a hash of crypt(3).
    ///
    /// - Parameter system: The system.
    /// - Returns: The text; `nil` if the system does not read such a hash, or the hash has a pepper.
    public func notation(for system: PrefixSystem) -> String? {
        guard let entry = system.entry(for: scheme) else { return nil }
        return text(behind: entry.prefix, entry.content)
    }

    /// Whether a system reads this hash behind its name in braces, and would take a new hash without one for the password itself
    /// (OpenLDAP), or not read it.
    var needsName: Bool { prefixSystems.contains { !$0.schemes.isEmpty } }

    /// Returns the name in braces that a new hash of a scheme gets in place of this one, and what stands behind it: this one's if
    /// its systems read the scheme behind it, otherwise another one that all of its systems read; `nil` if there is none.
    func nameOfReplacement(_ scheme: Scheme) -> (prefix: String, content: HashPrefix.Content)? {
        guard pepperKeyID == nil, let parts = PrefixedText(stored.description) else { return nil }
        if parts.entry.writes.contains(scheme) { return (parts.prefix, parts.entry.content) }
        return HashPrefixes.entry(for: scheme, readBy: parts.entry.systems).map { ($0.prefix, $0.content) }
    }

    /// Returns the text of this hash for the table that an older hash is from, so that all systems of the older text still read
    /// the record; `nil` if there is none: the text does not say whose table it is.
    func notation(replacing older: PasswordHash) -> String? {
        guard let name = older.nameOfReplacement(scheme) else { return nil }
        return text(behind: name.prefix, name.content)
    }

    private func text(behind prefix: String, _ content: HashPrefix.Content) -> String? {
        guard pepperKeyID == nil else { return nil }
        let hash = stored.unprefixed
        switch content {
        case .crypt:
            guard let hash = hash as? any CryptScheme else { return nil }
            return prefix + hash.head + hash.tail
        case .argon2:
            return (hash as? Argon2Hash).map { prefix + $0.phcText }
        case .pbkdf2(let form):
            guard let hash = hash as? PBKDF2Hash, !hash.salt.isEmpty,
                hash.digest.count == hash.function.digestByteCount
            else { return nil }
            return PBKDF2Hash(
                notation: .prefixed(PrefixedPBKDF2(prefix: prefix, encoding: nil, form: form)),
                function: hash.function,
                iterations: hash.iterations,
                salt: hash.salt,
                digest: hash.digest
            ).description
        case .scrypt:
            // The text has a byte each for r and p.
            guard let hash = hash as? ScryptHash, !hash.salt.isEmpty, hash.digest.count == 32,
                hash.costs.blockSize < 256, hash.costs.parallelism < 256
            else { return nil }
            return ScryptHash(
                notation: .spring,
                prefix: prefix,
                costs: hash.costs,
                salt: hash.salt,
                digest: hash.digest
            ).description
        case .scram:
            guard let record = (hash as? SCRAMHash)?.record, record.subject == .password else { return nil }
            // Dovecot's form has the name in braces itself.
            return prefix + record.verifier.text(.dovecot).drop { $0 != "}" }.dropFirst()
        case .digest, .atlassian, .joomla, .refused:
            return nil
        }
    }
}
