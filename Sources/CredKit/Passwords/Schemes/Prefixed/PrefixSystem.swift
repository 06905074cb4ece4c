// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash {
    /// A system whose tables have hashes behind names in braces: `{ARGON2ID}$argon2id$…`.
    public enum PrefixSystem: String, Sendable, CaseIterable {
        /// Dovecot's passwd-files and databases.
        case dovecot = "Dovecot"
        /// OpenLDAP, with its modules argon2, pw-pbkdf2 and pw-sha2 where a hash needs them.
        case openLDAP = "OpenLDAP"
        /// 389 Directory Server.
        case directoryServer = "389 Directory Server"
        /// The `DelegatingPasswordEncoder` of Spring Security.
        case springSecurity = "Spring Security"
        /// Jira, Confluence and Crowd: no new hashes are made for them.
        case atlassian = "Atlassian"
        /// Joomla 2.5.18 and 3.2.1: no new hashes are made for it.
        case joomla = "Joomla"

        /// The name that the `credkit` command uses.
        public var name: String {
            switch self {
            case .dovecot: "dovecot"
            case .openLDAP: "openldap"
            case .directoryServer: "389-ds"
            case .springSecurity: "spring"
            case .atlassian: "atlassian"
            case .joomla: "joomla"
            }
        }

        /// The schemes of new hashes that the system reads; see ``PasswordHash/notation(for:)``.
        public var schemes: [Scheme] {
            PasswordSchemes.algorithms.map(\.scheme).filter { entry(for: $0) != nil }
        }

        /// The name in braces, with its braces, that the system reads before a new hash; `nil` if it does not read such hashes.
        package func prefix(of scheme: Scheme) -> String? { entry(for: scheme)?.prefix }

        /// The entry for new hashes of a scheme.
        func entry(for scheme: Scheme) -> HashPrefix? { HashPrefixes.entry(for: scheme, readBy: [self]) }
    }

    /// The systems that write the prefix of this text; empty if it has none.
    package var prefixSystems: [PrefixSystem] { PrefixedText(stored.description)?.entry.systems ?? [] }
}
