// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash {
    /// A system whose tables have hashes behind names in braces.
    package enum System: String, Sendable, CaseIterable {
        case dovecot = "Dovecot"
        case openLDAP = "OpenLDAP"
        case directoryServer = "389 Directory Server"
        case springSecurity = "Spring Security"
        case atlassian = "Atlassian"
        case joomla = "Joomla"
    }

    /// Returns the text that a system has for this hash, with its own prefix; `nil` if the system has no such hashes.
    ///
    /// ```swift
    /// try PasswordHash("$argon2id$v=19$…").notation(for: .dovecot)   // {ARGON2ID}$argon2id$v=19$…
    /// ```
    package func notation(for system: System) -> String? {
        guard pepperKeyID == nil else { return nil }
        let hash = stored.unprefixed
        let entries = HashPrefixes.all.filter { entry in
            entry.systems.contains(system) && entry.writes.contains(scheme)
        }
        // The name of one system before a name of several.
        guard let entry = entries.min(by: { $0.systems.count < $1.systems.count }) else { return nil }
        let prefix = "{\(entry.name)}"
        switch entry.content {
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
        case .digest, .scram, .scrypt, .atlassian, .joomla, .refused:
            return nil
        }
    }
}
