// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// SCRAM's verifier in one of the texts of ``SCRAM/Record``.
struct SCRAMHash: PasswordScheme {
    let record: SCRAM.Record

    static let schemes: [PasswordHash.Scheme] = [
        .scramSHA1, .scramSHA256, .scramSHA512, .layeredScramSHA256, .layeredScramSHA512,
    ]

    static func recognizes(_ text: String) -> Bool {
        ["SCRAM-", "{SCRAM-", "$layered-scram$"].contains { text.hasPrefix($0) }
            && !PrefixedTextHash.recognizes(text)
    }

    init(parsing text: String) throws(PasswordError) {
        do throws(SCRAM.Error) { record = try SCRAM.Record(text) } catch { throw PasswordError(error) }
        guard record.keyID == nil || function != .sha1 else {
            throw .unsupported("verifiers of a password-equivalent do not use SHA-1")
        }
    }

    private var function: SCRAM.HashFunction { record.verifier.hashFunction }

    var description: String { record.text }

    var scheme: PasswordHash.Scheme {
        switch (function, record.subject) {
        case (.sha1, _): .scramSHA1
        case (.sha256, .password): .scramSHA256
        case (.sha256, .passwordEquivalent): .layeredScramSHA256
        case (.sha512, .password): .scramSHA512
        case (.sha512, .passwordEquivalent): .layeredScramSHA512
        }
    }

    var parameters: [PasswordHash.Parameter] {
        [.init("iterations", record.verifier.iterations), .init("notation", record.form.name)]
            + (record.keyID.map { [.init("key", $0)] } ?? [])
    }

    var salt: [UInt8] { record.verifier.salt }
    var digest: [UInt8] { record.verifier.storedKey + record.verifier.serverKey }

    var weakness: String? {
        record.subject == .password
            ? "it is PBKDF2, which takes hardly any memory, so graphics cards compute it fast; for a form over TLS Argon2id is "
                + "better"
            : "it is PBKDF2 over MD5 under a shared key, and an attacker with an older copy of the table logs in with the "
                + "password-equivalents in it"
    }

    var layeringObstacle: String {
        "a login by SCRAM computes with the verifier, so nothing can be layered over it; only a login that shows the password "
            + "can replace it"
    }

    var laneKernels: LaneKernels? { LaneKernels(function.derivation) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        Self.computationCost(function, iterations: record.verifier.iterations)
    }

    static func computationCost(_ function: SCRAM.HashFunction, iterations: Int) -> ComputationCost {
        PBKDF2Hash.computationCost(function: function.derivation, iterations: iterations)
    }

    func input(for password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> SecretBytes? {
        guard let keyID = record.keyID else { return nil }
        guard let key = context.legacyKeys[keyID] else {
            throw .unknownKey("the HMAC-MD5 key '\(keyID)' of this verifier is not available")
        }
        BackendCalls.note()
        let code = HMAC<Legacy.MD5>.authenticationCode(for: password, using: HMAC<Legacy.MD5>.Key(key))
        do throws(SecretMemoryError) { return try SecretBytes(hexOf: code) } catch { throw .outOfMemory }
    }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        let candidates = try candidates(password)
        // The limits allow one computation; whether they allow more is not known before the password is prepared.
        let cost = computationCost(passwordByteCount: password.count)
        try context.limits.check(ComputationCost(seconds: cost.seconds * Double(candidates.count)))
        for candidate in candidates where try isPassword(candidate, context) { return true }
        return false
    }

    /// Returns the different byte strings that the verifier of this password may have been made of.
    private func candidates(_ password: Span<UInt8>) throws(PasswordError) -> [SecretBytes] {
        let unprepared = try SecretBytes.copying(password)
        // The digits of a password-equivalent are the same with each preparation.
        guard record.subject == .password else { return [unprepared] }
        var candidates: [SecretBytes] = []
        for preparation in [SCRAM.Preparation.rfc4013, .postgreSQL] {
            do throws(SCRAM.Error) {
                candidates.append(try preparation.apply(to: password) ?? unprepared)
            } catch .textNotAllowed {
                continue
            } catch {
                throw PasswordError(error)
            }
        }
        // Dovecot prepares nothing.
        if record.form == .dovecot { candidates.append(unprepared) }
        return candidates.indices.filter { !candidates[..<$0].contains(candidates[$0]) }.map {
            candidates[$0]
        }
    }

    private func isPassword(
        _ prepared: SecretBytes,
        _ context: HashingContext
    ) throws(PasswordError) -> Bool {
        let verifier = record.verifier
        let salted: SCRAM.SaltedPassword
        do throws(KeyDerivationError) {
            salted = try prepared.withSecretBytes { (prepared) throws(KeyDerivationError) in
                try SCRAM.SaltedPassword(
                    prepared: prepared,
                    function,
                    salt: verifier.salt,
                    iterations: verifier.iterations,
                    interruption: context.interruption
                )
            }
        } catch {
            throw PasswordError(error)
        }
        do throws(SCRAM.Error) {
            let isServerKey = try salted.serverKey.withSecretBytes {
                ConstantTime.areEqual($0, verifier.serverKey.span)
            }
            // Without it, a verifier would match with which no login by SCRAM succeeds.
            let isStoredKey = try salted.clientKey.withSecretBytes {
                ConstantTime.areEqual(function.hash($0), verifier.storedKey)
            }
            return isServerKey && isStoredKey
        } catch {
            throw PasswordError(error)
        }
    }
}

extension PasswordHash.Scheme {
    /// SCRAM's verifier with SHA-256 ([RFC 7677](https://www.rfc-editor.org/rfc/rfc7677)), in the forms of PostgreSQL and
    /// Dovecot. To a thief of the table it is PBKDF2, which graphics cards compute fast; for a form over TLS use ``argon2id``.
    ///
    /// Which ``SCRAM/Preparation`` a verifier was made with is not part of its text: verifying tries each of them, and in
    /// Dovecot's form the unchanged bytes too, where they differ.
    ///
    /// > Important: Only a verifier can verify a login by SCRAM. Never replace one with the new hash that verifying returns if
    /// > its user still logs in by SCRAM.
    public static let scramSHA256 = Self("scram-sha-256")

    /// SCRAM's verifier with SHA-512; see ``scramSHA256``.
    public static let scramSHA512 = Self("scram-sha-512")

    /// SCRAM's verifier with SHA-1 ([RFC 5802](https://www.rfc-editor.org/rfc/rfc5802)), of XMPP servers and others. Verified
    /// only; see ``scramSHA256``.
    public static let scramSHA1 = Self("scram-sha-1")

    /// SCRAM's verifier with SHA-256 of a timestamped login's password-equivalent:
    /// ``SCRAM/Verifier/init(passwordEquivalent:hashFunction:iterations:salt:)``. Verifying takes the key of the
    /// password-equivalent, as ``hexHMACMD5`` does.
    public static let layeredScramSHA256 = Self("layered-scram-sha-256")

    /// SCRAM's verifier with SHA-512 of a timestamped login's password-equivalent; see ``layeredScramSHA256``.
    public static let layeredScramSHA512 = Self("layered-scram-sha-512")
}

extension PasswordHash {
    /// The verifier, if the hash is one: such a hash must not be replaced by another scheme's as long as its user logs in by
    /// SCRAM.
    package var scramRecord: SCRAM.Record? { (stored.unprefixed as? SCRAMHash)?.record }

    /// Whether the hash is SCRAM's verifier, of a password or of a password-equivalent.
    package var isSCRAM: Bool { stored.unprefixed is SCRAMHash }
}
