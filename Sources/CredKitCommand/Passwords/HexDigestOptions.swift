// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// What made bare hexadecimal digests: nothing in them says it.
struct HexDigestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("For hex-md5, the salt of all hashes; not a secret.", valueName: "text"))
    var salt: String?

    @Option(help: "For hex-md5, whether the salt follows the password (suffix) or precedes it (prefix).")
    var position: SaltedMD5Command.SaltPosition?

    @Option(help: ArgumentHelp("For hex-md5, how often it was hashed.", valueName: "n"))
    var rounds: Int?

    @Option(help: ArgumentHelp("For hex-hmac-md5, the identifier of the key.", valueName: "id"))
    var keyID: String?

    /// Whether anything was said.
    var isEmpty: Bool { salt == nil && position == nil && rounds == nil && keyID == nil }

    /// Refuses what could make no digest.
    func check(_ scheme: PasswordHash.Scheme, hasSalts: Bool) throws {
        let origin = try origin(scheme, salt: hasSalts ? [0] : nil)
        do throws(PasswordError) {
            _ = try PasswordHash(hexDigest: String(repeating: "0", count: 32), madeBy: origin)
        } catch {
            throw ValidationError("What made the hashes is not possible: \(error).")
        }
    }

    /// What made a digest, of `hex-md5` or `hex-hmac-md5`; with its own salt, if the table has one for each.
    func origin(
        _ scheme: PasswordHash.Scheme,
        salt ownSalt: [UInt8]? = nil
    ) throws -> PasswordHash.HexDigestOrigin {
        if scheme == .hexHMACMD5 {
            guard let keyID else {
                throw ValidationError("hex-hmac-md5 takes --key-id, a name for the key that made the hashes.")
            }
            guard salt == nil, position == nil, rounds == nil, ownSalt == nil else {
                throw ValidationError("--salt, --position and --rounds go with hex-md5 only.")
            }
            return .hmacMD5(keyID: keyID)
        }
        guard keyID == nil else { throw ValidationError("--key-id goes with hex-hmac-md5 only.") }
        return .saltedMD5(
            salt: ownSalt ?? salt.map(RawArguments.encode) ?? [],
            position: position == .prefix ? .prefix : .suffix,
            rounds: rounds ?? 1
        )
    }
}
