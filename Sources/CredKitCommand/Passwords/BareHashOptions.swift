// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The options that declare how bare hexadecimal hashes were computed, which the digits themselves do not show.
struct BareHashOptions: ParsableArguments {
    /// The types of bare hashes, by the names of the commands that print them: `credkit hash md5` …
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case md5
        case saltedMD5 = "salted-md5"
        case hmacMD5 = "hmac-md5"
        case timestamp
    }

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The type of bare hexadecimal hashes, by the name of the 'credkit hash' command that prints them.",
            valueName: "scheme"
        )
    )
    var kinds: [Kind] = []

    @Option(
        help: ArgumentHelp("For salted-md5, the salt of all hashes. It is not a secret.", valueName: "text")
    )
    var salt: String?

    @Option(help: "For salted-md5, whether the salt follows the password (suffix) or precedes it (prefix).")
    var position: SaltedMD5Command.SaltPosition?

    @Option(help: ArgumentHelp("For md5 and salted-md5, the number of rounds.", valueName: "n"))
    var rounds: Int?

    @Option(help: ArgumentHelp("For hmac-md5, the identifier of the key.", valueName: "id"))
    var keyID: String?

    /// Whether the type of bare hashes is declared.
    var isDeclared: Bool { !kinds.isEmpty }

    /// Rejects options that cannot describe a hash. `hasSalts` tells whether each hash has a salt of its own.
    func check(hasSalts: Bool = false) throws {
        guard let algorithm = try algorithm(salt: hasSalts ? [0] : nil) else { return }
        guard salt == nil || !hasSalts else {
            throw ValidationError("Give only one of --salt and --salt-column.")
        }
        do throws(PasswordError) {
            _ = try PasswordHash(legacyHex: String(repeating: "0", count: 32), algorithm: algorithm)
        } catch {
            throw ValidationError("Invalid description of the hashes: \(error).")
        }
    }

    /// Returns the declared algorithm of a hash, whose own salt is `ownSalt`; `nil` if none is declared.
    func algorithm(salt ownSalt: [UInt8]? = nil) throws -> PasswordHash.LegacyHexAlgorithm? {
        guard kinds.count < 2 else { throw ValidationError("Give --as only once.") }
        let hasSalt = salt != nil || ownSalt != nil
        if kinds.first != .saltedMD5 {
            guard !hasSalt, position == nil else {
                throw ValidationError("--salt, --salt-column and --position require --as salted-md5.")
            }
        }
        guard keyID == nil || kinds.first == .hmacMD5 else {
            throw ValidationError("--key-id requires --as hmac-md5.")
        }
        guard rounds == nil || kinds.first == .md5 || kinds.first == .saltedMD5 else {
            throw ValidationError("--rounds requires --as md5 or --as salted-md5.")
        }
        switch kinds.first {
        case nil: return nil
        case .md5: return .saltedMD5(rounds: rounds ?? 1)
        case .saltedMD5:
            guard hasSalt else {
                throw ValidationError("salted-md5 requires --salt, or --salt-column for a table.")
            }
            return .saltedMD5(
                salt: ownSalt ?? salt.map(RawArguments.encode) ?? [],
                position: position == .prefix ? .prefix : .suffix,
                rounds: rounds ?? 1
            )
        case .hmacMD5:
            guard let keyID else {
                throw ValidationError("hmac-md5 requires --key-id, a name for the key of the hashes.")
            }
            return .hmacMD5(keyID: keyID)
        case .timestamp:
            throw ValidationError(
                "Password-equivalents of a timestamped login cannot be layered or verified: the server computes with them at "
                    + "every login, so they must stay unchanged until the last old client is gone. Have new "
                    + "clients send the password over TLS, and store a separate Argon2id hash for them."
            )
        }
    }

    /// Reads a stored hash, which is of the declared type if it is bare.
    func hash(_ text: String, limits: PasswordLimits = .standard) throws -> PasswordHash {
        if Self.isBare(Array(text.utf8)) {
            guard let algorithm = try algorithm() else {
                throw CommandFailure(.malformed, "unrecognized hash format: \(Self.ambiguous)")
            }
            return try PasswordHash(legacyHex: text, algorithm: algorithm)
        }
        return try PasswordHash(text, limits: limits)
    }

    /// Returns whether a stored hash is 32 hexadecimal digits.
    static func isBare(_ text: [UInt8]) -> Bool { text.count == 32 && (try? Hex.decode(text)) != nil }

    /// The message for a bare hash whose type is not declared.
    static let ambiguous =
        "32 hexadecimal digits may be of several schemes; declare theirs with --as md5, --as salted-md5 or --as hmac-md5"
}
