// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The options that declare how bare hexadecimal digests were computed, which the digests themselves do not show.
struct LegacyHexOptions: ParsableArguments {
    @Option(help: ArgumentHelp("For hex-md5, the salt of all hashes. It is not a secret.", valueName: "text"))
    var salt: String?

    @Option(help: "For hex-md5, whether the salt follows the password (suffix) or precedes it (prefix).")
    var position: SaltedMD5Command.SaltPosition?

    @Option(help: ArgumentHelp("For hex-md5, the number of rounds.", valueName: "n"))
    var rounds: Int?

    @Option(help: ArgumentHelp("For hex-hmac-md5, the identifier of the key.", valueName: "id"))
    var keyID: String?

    /// Whether none of the options is given.
    var isEmpty: Bool { salt == nil && position == nil && rounds == nil && keyID == nil }

    /// Rejects options that cannot describe a digest.
    func check(_ scheme: PasswordHash.Scheme, hasSalts: Bool) throws {
        let origin = try origin(scheme, salt: hasSalts ? [0] : nil)
        do throws(PasswordError) {
            _ = try PasswordHash(legacyHex: String(repeating: "0", count: 32), algorithm: origin)
        } catch {
            throw ValidationError("Invalid description of the hashes: \(error).")
        }
    }

    /// Returns the origin of a `hex-md5` or `hex-hmac-md5` digest. `ownSalt` is its salt, if each record has its own.
    func origin(
        _ scheme: PasswordHash.Scheme,
        salt ownSalt: [UInt8]? = nil
    ) throws -> PasswordHash.LegacyHexAlgorithm {
        if scheme == .hexHMACMD5 {
            guard let keyID else {
                throw ValidationError("hex-hmac-md5 requires --key-id, a name for the key of the hashes.")
            }
            guard salt == nil, position == nil, rounds == nil, ownSalt == nil else {
                throw ValidationError("--salt, --position and --rounds are valid only with hex-md5.")
            }
            return .hmacMD5(keyID: keyID)
        }
        guard keyID == nil else { throw ValidationError("--key-id is valid only with hex-hmac-md5.") }
        return .saltedMD5(
            salt: ownSalt ?? salt.map(RawArguments.encode) ?? [],
            position: position == .prefix ? .prefix : .suffix,
            rounds: rounds ?? 1
        )
    }
}
