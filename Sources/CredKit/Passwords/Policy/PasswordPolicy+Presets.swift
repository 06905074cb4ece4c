// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordPolicy {
    /// The policy that is recommended today: ``owasp2023``. This preset follows the state of the art and may change
    /// from one minor version of CredKit to the next; presets with a date never change.
    public static let recommended = owasp2023

    /// The [OWASP Password Storage Cheat
    /// Sheet](https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html) since May 2023: new
    /// hashes are Argon2id with 19,456 KiB, 2 passes, 1 lane.
    ///
    /// Existing hashes are kept if they are at least scrypt with N = 2¹⁷, r = 8, p = 1 (131,072 KiB); bcrypt with
    /// cost 10; PBKDF2 with 600,000 iterations of HMAC-SHA-256 or 210,000 of HMAC-SHA-512. In addition, CredKit
    /// accepts yescrypt with Debian's cost, 5 (16,384 KiB). All other schemes are deprecated; none is refused.
    public static let owasp2023 = PasswordPolicy(
        preferred: .argon2idOWASP,
        accepted: [.scryptOWASP, .bcryptOWASP, .pbkdf2SHA256OWASP, .pbkdf2SHA512OWASP, .yescryptDebian]
    )

    /// The second recommended option of [RFC 9106](https://www.rfc-editor.org/rfc/rfc9106) §4, September 2021:
    /// Argon2id with 65,536 KiB and 3 passes.
    ///
    /// The RFC recommends 4 lanes. libsodium computes one lane, which is the same work for defender and attacker, but
    /// takes longer on a server with four idle cores. All other schemes are deprecated.
    public static let rfc9106 = PasswordPolicy(preferred: .argon2idRFC9106)

    /// A policy for users who must comply with FIPS 140, from the same cheat sheet as ``owasp2023``: PBKDF2 with
    /// 600,000 iterations of HMAC-SHA-256. Hashes of stronger schemes are kept. The user is responsible for running a
    /// validated libcrypto.
    public static let owasp2023FIPS140 = PasswordPolicy(
        preferred: .pbkdf2SHA256OWASP,
        accepted: [
            .pbkdf2SHA512OWASP, .argon2idOWASP, .scryptOWASP, .bcryptOWASP, .yescryptDebian,
        ]
    )
}

extension PasswordParameters {
    /// Creates parameters from costs that are known to be in range.
    private init(
        _ scheme: PasswordHash.Scheme,
        _ costs: [(String, Int)],
        _ schemeParameters: any SchemeParameters
    ) {
        self.scheme = scheme
        self.costs = costs.map { .init($0.0, $0.1) }
        self.schemeParameters = schemeParameters
    }

    private static func argon2id(_ schemeParameters: Argon2idParameters) -> Self {
        Self(
            .argon2id,
            [("memory", schemeParameters.memoryKiB), ("passes", schemeParameters.passes)],
            schemeParameters
        )
    }

    private static func pbkdf2(_ scheme: PasswordHash.Scheme, _ function: PBKDF2Hash.Function) -> Self {
        let iterations = function.recommendedIterations
        return Self(
            scheme,
            [("iterations", iterations)],
            PBKDF2Parameters(function: function, iterations: iterations)
        )
    }

    static let argon2idOWASP = argon2id(.owasp)
    static let argon2idRFC9106 = argon2id(Argon2idParameters(memoryKiB: 64 * 1024, passes: 3))
    static let scryptOWASP = Self(
        .scrypt,
        [
            ("log-n", ScryptCosts.owasp.logN), ("block-size", ScryptCosts.owasp.blockSize),
            ("parallelism", ScryptCosts.owasp.parallelism),
        ],
        ScryptParameters(costs: .owasp)
    )
    static let bcryptOWASP = Self(.bcrypt, [("cost", 10)], BcryptParameters(cost: 10))
    static let pbkdf2SHA256OWASP = pbkdf2(.pbkdf2SHA256, .sha256)
    static let pbkdf2SHA512OWASP = pbkdf2(.pbkdf2SHA512, .sha512)
    static let yescryptDebian = Self(.yescrypt, [("cost", 5)], YescryptParameters(cost: 5))
}
