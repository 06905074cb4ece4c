// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// A program that uses a little of every part.
@main
struct LinkageTest {
    static func main() throws {
        let secret = try SecretBytes("123456")
        let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")
        let proof = scheme.proof(for: secret, at: try Legacy.TimestampedLogin.Minute("2026-01-02 03:04"))
        print(proof.hex, Base64.urlSafe.unpadded.encode(Legacy.MD5.hash(data: "abc".utf8)))
    }
}
