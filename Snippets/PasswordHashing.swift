// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// Passwords: new hashes, hashes of other tools, and the migration from old hashes to new ones.

import CredKit

// A policy of one's own: more memory than the default, and a pepper that the database does not have.
var policy = PasswordPolicy.recommended
policy.preferred = try .argon2id(memory: .mebibytes(32), passes: 2)
let pepper = try PasswordPepper(keys: ["2026": SecretBytes(randomByteCount: 32)], current: "2026")
let hasher = try PasswordContext(policy: policy, pepper: pepper)

let record = try hasher.hash("correct horse")
print(try PasswordHash(record).parameters)
print(try hasher.verify("wrong horse", against: record))  // mismatch

// A hash of another tool verifies, and comes with a better one.
if case .match(rehashed: let newer?) = try hasher.verify("secret", against: "$1$abc$iCQ2D3nhptRYi27fDYv2s1") {
    print(newer)
}

// A bare digest does not say what made it: its table's owner does.
let bare = try PasswordHash(
    legacyHex: "f433c50293bc7afbe20b67ceb15a1e55",
    algorithm: .saltedMD5(salt: Array("shop".utf8))
)
let layered = try hasher.layer(over: bare)  // Argon2id over it, without the password
print(try hasher.verify("secret", against: layered).isMatch)

// What a hash asks for is held against limits before anything is computed.
do throws(PasswordError) {
    _ = try hasher.verify(
        "secret",
        against: "$argon2id$v=19$m=4194304,t=9,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA"
    )
} catch .overLimit {
    print("refused")
} catch {
    print(error)
}
