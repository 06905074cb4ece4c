// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// LDAP's `{SHA}`: SHA-1 without a salt; also what `htpasswd -s` writes. Some 10¹⁰ guesses a second, against all
    /// users at once. Verified only.
    public static let ldapSHA = Self("ldap-sha")

    /// LDAP's `{SSHA}`: SHA-1 of password and salt. Some 10¹⁰ guesses a second. Verified only.
    public static let ldapSSHA = Self("ldap-ssha")

    /// LDAP's `{MD5}`: MD5 without a salt. Some 10¹⁰ guesses a second, against all users at once. Verified only.
    public static let ldapMD5 = Self("ldap-md5")

    /// LDAP's `{SMD5}`: MD5 of password and salt. Some 10¹⁰ guesses a second. Verified only.
    public static let ldapSMD5 = Self("ldap-smd5")

    /// LDAP's `{SHA256}`: SHA-256 without a salt. Some 10¹⁰ guesses a second, against all users at once. Verified
    /// only.
    public static let ldapSHA256 = Self("ldap-sha256")

    /// LDAP's `{SSHA256}`: SHA-256 of password and salt. Some 10¹⁰ guesses a second. Verified only.
    public static let ldapSSHA256 = Self("ldap-ssha256")

    /// LDAP's `{SHA384}`: SHA-384 without a salt. Some 10⁹ guesses a second, against all users at once. Verified only.
    public static let ldapSHA384 = Self("ldap-sha384")

    /// LDAP's `{SSHA384}`: SHA-384 of password and salt. Some 10⁹ guesses a second. Verified only.
    public static let ldapSSHA384 = Self("ldap-ssha384")

    /// LDAP's `{SHA512}`: SHA-512 without a salt. Some 10⁹ guesses a second, against all users at once. Verified only.
    public static let ldapSHA512 = Self("ldap-sha512")

    /// LDAP's `{SSHA512}`: SHA-512 of password and salt. Some 10⁹ guesses a second. Verified only.
    public static let ldapSSHA512 = Self("ldap-ssha512")

    /// Atlassian's `{PKCS5S2}`: PBKDF2 with HMAC-SHA-1 and 10,000 iterations, some 10⁶ guesses a second on one graphics
    /// card. Verified only.
    public static let atlassianPBKDF2 = Self("atlassian-pbkdf2")
}
