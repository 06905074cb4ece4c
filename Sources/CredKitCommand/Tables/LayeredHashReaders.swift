// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Which programs read layered hashes, and which do not.
enum LayeredHashReaders {
    /// The schemes of crypt(3), htpasswd and nginx, one of which PHP's `password_verify` reads, too.
    static let schemesOfOthers: Set<PasswordHash.Scheme> = [
        .desCrypt, .bsdiCrypt, .bigcrypt, .md5Crypt, .apr1, .sunMD5, .sha1Crypt, .sha256Crypt, .sha512Crypt,
        .bcrypt, .bcryptX, .scryptCrypt, .yescrypt, .gostYescrypt, .ntHash, .ldapSHA, .ldapSSHA,
    ]

    /// What to say of layered hashes, in lines.
    static let messages = [
        "crypt(3), login, htpasswd, nginx and PHP's password_verify cannot read layered hashes",
        "these can: credkit, credkit-server, the verifiers for Python, PHP and Java in interoperability/",
    ]
}
