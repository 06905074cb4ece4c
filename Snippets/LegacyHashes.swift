// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// Digests, and the hashes that old login tables hold.

import CredKit

// MD5 and SHA-1 of bytes and of files, streamed.
print(Legacy.MD5.hash(data: "abc".utf8).hex)
print(try Legacy.SHA1.hash(contentsOfFile: "/etc/hostname").hex)

// A salted MD5, and an HMAC-MD5 with a key that is prepared once.
print(Legacy.SaltedMD5(salt: "shop").hash("secret").hex)
let key = Legacy.HMACMD5.Key("84143")
let code = Legacy.HMACMD5.authenticationCode(for: "hashcat".utf8, using: key)
print(Legacy.HMACMD5.isValid(code, authenticating: "hashcat".utf8, using: key))

// A timestamped login: what the server keeps, and what the client posts in a minute.
let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")
let kept = scheme.passwordEquivalent(for: "123456")
let posted = scheme.proof(for: "123456", at: try Legacy.TimestampedLogin.Minute("2026-01-02 03:04"))
print(
    posted
        == scheme.proof(passwordEquivalent: kept, at: try Legacy.TimestampedLogin.Minute("2026-01-02 03:04"))
)
