// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The options that declare how bare hexadecimal hashes were computed, which the digits themselves do not show.
struct BareHashOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The type of bare hexadecimal hashes.", valueName: "scheme")
    )
    var kinds: [BareHashKind] = []

    @Option(
        help: ArgumentHelp(
            "For salted-md5 …, vbulletin …, the salt of all hashes; for smf the user's name. It is not a secret.",
            valueName: "text"
        )
    )
    var salt: String?

    @Option(
        help: ArgumentHelp(
            "For salted-md5 …, the character between a hash and its own salt, in the same field: \":\" for hash:salt. The names of "
                + "applications, such as joomla, imply it unless --salt or --salt-column is given.",
            valueName: "character"
        )
    )
    var saltSeparator: SeparatorArgument?

    @Option(
        help: "For salted hashes, whether the salt follows the password (suffix) or precedes it (prefix)."
    )
    var position: SaltedMD5Command.SaltPosition?

    @Option(
        help: ArgumentHelp("For md5, salted-md5, sha1 …, the number of rounds.", valueName: "n")
    )
    var rounds: Int?

    @Option(help: ArgumentHelp("For hmac-md5, the identifier of the key.", valueName: "id"))
    var keyID: String?

    /// Whether the salts are the users' names.
    var hasNameAsSalt: Bool { kinds.first?.application == .smf }

    /// Whether the type of bare hashes is declared.
    var isDeclared: Bool { !kinds.isEmpty }

    /// Rejects options that cannot describe a hash. `hasSalts` tells whether each hash has a salt of its own.
    func check(hasSalts: Bool = false) throws {
        guard [salt != nil, hasSalts, saltSeparator != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give only one of --salt, --salt-column and --salt-separator.")
        }
        // Status 1 would say that the password does not match.
        guard salt != "" || kinds.first?.application?.hasUnsaltedDigests != false else {
            throw ValidationError("--salt: \(HashColumn.Problem.emptySalt.message).")
        }
        guard let algorithm = try algorithm(salt: hasSalts || hasSaltInHash ? [0] : nil),
            let kind = kinds.first
        else { return }
        do throws(PasswordError) {
            let digits = String(repeating: "0", count: kind.digitCount)
            _ = try PasswordHash(legacyHex: digits, algorithm: algorithm)
        } catch {
            throw ValidationError("Invalid description of the hashes: \(error).")
        }
    }

    /// Returns the declared algorithm of a hash, whose own salt is `ownSalt`; `nil` if none is declared.
    func algorithm(salt ownSalt: [UInt8]? = nil) throws -> PasswordHash.LegacyHexAlgorithm? {
        guard kinds.count < 2 else { throw ValidationError("Give --as only once.") }
        let kind = kinds.first
        let hasSalt = salt != nil || ownSalt != nil || saltSeparator != nil
        guard kind?.isSalted == true || !hasSalt && position == nil else {
            throw ValidationError(
                "--salt, --salt-column, --salt-separator and --position require --as with a salted type, such as salted-md5."
            )
        }
        guard keyID == nil || kind == .hmacMD5 else {
            throw ValidationError("--key-id requires --as hmac-md5.")
        }
        guard rounds == nil || kind?.function != nil else {
            throw ValidationError("--rounds requires --as with a hash function, such as md5 or salted-md5.")
        }
        guard position == nil || kind?.application == nil else {
            throw ValidationError("--position is not for \(kind?.name ?? ""), which has a fixed position.")
        }
        switch kind {
        case nil: return nil
        case .plain(let function): return .digest(function, rounds: rounds ?? 1)
        case .salted(let function):
            guard hasSalt else {
                throw ValidationError(
                    "\(kind?.name ?? "") requires --salt or --salt-separator, or --salt-column for a table."
                )
            }
            return .digest(
                function,
                salt: ownSalt ?? salt.map(RawArguments.encode) ?? [],
                position: position == .prefix ? .prefix : .suffix,
                rounds: rounds ?? 1
            )
        case .application(let application):
            guard hasSalt || application.hasUnsaltedDigests else {
                throw ValidationError("\(application) requires the salt: \(SaltedDigest.missingSalt).")
            }
            let salt = ownSalt ?? salt.map(RawArguments.encode) ?? []
            // MyBB and PunBB take such a digest for one of the password alone.
            guard !salt.isEmpty || application.hasUnsaltedDigests else {
                throw HashColumn.Problem.emptySalt
            }
            return application.algorithm(salt: salt)
        case .ntlm: return .ntlm
        case .hmacMD5:
            guard let keyID else {
                throw ValidationError("hmac-md5 requires --key-id, a name for the key of the hashes.")
            }
            return .hmacMD5(keyID: keyID)
        case .timestamp:
            throw ValidationError(
                "Password-equivalents of a timestamped login cannot be layered or verified: the server computes with them at "
                    + "every login, so they must stay unchanged until the last old client is gone. Make SCRAM verifiers of "
                    + "them ('credkit upgrade --as timestamp --to scram-sha-256'), or have new clients send the password over "
                    + "TLS, and store a separate Argon2id hash for them."
            )
        }
    }

    /// Reads a stored hash, which is of the declared type if it is bare. Bytes that are not UTF-8, as a salt can have, are
    /// decoded by `RawArguments`. `isArgument` tells whether it was given on the command line, and so has passed a shell.
    ///
    /// What bare digits mean is decided also by `read` of `HashUpgrader` for tables, and by `ambiguity` of `HexDigestHash.swift` in
    /// the library.
    func hash(
        _ text: String,
        limits: PasswordLimits = .standard,
        isArgument: Bool = false
    ) throws -> PasswordHash {
        do {
            return try read(text, limits, isArgument: isArgument)
        } catch let problem as HashColumn.Problem {
            throw CommandFailure(.malformed, problem.message)
        }
    }

    private func read(_ text: String, _ limits: PasswordLimits, isArgument: Bool) throws -> PasswordHash {
        let bytes = RawArguments.encode(text)
        if let parts = saltedDigest(in: bytes) {
            guard let salted = try declared(parts) else {
                throw CommandFailure(.malformed, "unrecognized hash format: \(SaltedDigest.ambiguity)")
            }
            return salted
        }
        if Self.isBare(bytes) {
            guard !requiresSaltInHash else {
                throw CommandFailure(.malformed, "the hash has no salt; \(SaltedDigest.missingSalt)")
            }
            guard let algorithm = try algorithm() else {
                throw CommandFailure(
                    .malformed,
                    "unrecognized hash format: \(Self.ambiguity(of: bytes))"
                )
            }
            return try PasswordHash(legacyHex: text, algorithm: algorithm)
        }
        do {
            return try PasswordHash(text, limits: limits)
        } catch {
            guard isArgument, error == .unrecognized || text.last?.isWhitespace == true,
                let advice = StoredHashHint.advice(for: text)
            else {
                throw error
            }
            throw CommandFailure(.malformed, "unrecognized hash format: \(advice)")
        }
    }

    /// Returns the digest and the salt behind it that a text consists of; `nil` if it has another form.
    func saltedDigest(in text: [UInt8]) -> SaltedDigest? { SaltedDigest(text, separator: separator) }

    /// The character between a digest and the salt behind it.
    var separator: UInt8 { saltSeparator?.byte ?? UInt8(ascii: ":") }

    /// Returns whether a stored hash is hexadecimal digits, as many as some type has.
    static func isBare(_ text: [UInt8]) -> Bool {
        BareHashKind.allCases.contains { $0.digitCount == text.count } && (try? Hex.decode(text)) != nil
    }

    /// Whether each hash has its salt behind it, unless there is a column of salts.
    var hasSaltInHash: Bool { salt == nil && (saltSeparator != nil || kinds.first?.application != nil) }

    /// Whether a digest without a salt behind it, and without another salt, is not a hash of the declared type. An empty
    /// salt stands behind a separator: a digest alone may have lost its salt.
    var requiresSaltInHash: Bool {
        hasSaltInHash && kinds.first?.application?.hasUnsaltedDigests != true
    }

    /// Returns the hash of a digest with its salt behind it; `nil` if it is not declared that salts stand there.
    func declared(_ parts: SaltedDigest) throws -> PasswordHash? {
        guard hasSaltInHash, let algorithm = try algorithm(salt: parts.salt) else { return nil }
        return try PasswordHash(legacyHex: parts.digits, algorithm: algorithm)
    }

    /// Returns whether a field can be a hash of MySQL as well as a locked account's hash of the declared type.
    func isAmbiguous(_ stored: StoredPasswordField) -> Bool {
        stored.isAmbiguous(bareDigitCount: kinds.first?.digitCount)
    }

    /// The message for `*` and 40 uppercase digits if bare hashes have 40 digits, too.
    static let asteriskAmbiguity =
        "* and 40 hexadecimal digits may be a hash of MySQL or the digest of a locked account; upgrade hashes of MySQL "
        + "without --as"

    /// Returns the message for a bare hash whose type is not declared.
    static func ambiguity(of text: [UInt8]) -> String { BareHashKind.ambiguity(digitCount: text.count) }
}
