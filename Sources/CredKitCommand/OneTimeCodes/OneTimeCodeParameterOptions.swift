// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// The parameters of a seed that has no URI.
struct OneTimeCodeParameterOptions: ParsableArguments {
    /// The hash function of codes.
    enum AlgorithmArgument: String, ExpressibleByArgument, CaseIterable {
        case sha1, sha256, sha512

        var algorithm: OneTimeCodeKey.Algorithm {
            switch self {
            case .sha1: .sha1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        }
    }

    @Option(help: ArgumentHelp("6 to 8 digits. (default: 6)", valueName: "n"))
    var digits: Int?

    @Option(help: "The hash function. (default: sha1)")
    var algorithm: AlgorithmArgument?

    @Option(help: ArgumentHelp("The period of codes. (default: 30s)", valueName: "time"))
    var period: TimeArgument?

    @Option(
        help: ArgumentHelp("HOTP, and the counter of the next code.", valueName: "n")
    )
    var counter: UInt64?

    @Option(help: ArgumentHelp("The name of the server. (default: SERVICE)", valueName: "name"))
    var issuer: String?

    /// Whether the command line has any of the parameters.
    var isGiven: Bool {
        digits != nil || algorithm != nil || period != nil || counter != nil || issuer != nil
    }

    func validate() throws {
        guard period == nil || counter == nil else {
            throw ValidationError("Give only one of --period and --counter.")
        }
        guard OneTimeCode.digitCounts.contains(digits ?? 6) else {
            throw ValidationError("--digits must be from 6 to 8.")
        }
        if let period {
            let isAllowed =
                period.duration.components.attoseconds == 0
                && OneTimeCodeKey.periods.contains(period.duration)
            guard isAllowed else { throw ValidationError("--period must be from 1 to 3600 whole seconds.") }
        }
    }

    /// Creates the key of a seed, or of a new one.
    ///
    /// - Parameters:
    ///   - seed: The seed in Base32; `nil` for a new random one.
    ///   - place: The service and account, whose names the key gets as far as it can have them.
    /// - Returns: The key.
    /// - Throws: ``OneTimeCodeError``.
    func key(seed: SecretBytes?, for place: CredentialKey) throws -> OneTimeCodeKey {
        let kind: OneTimeCodeKey.Kind =
            counter.map { .counter(next: $0) } ?? .time(period: period?.duration ?? .seconds(30))
        func make(issuer: String?, account: String) throws -> OneTimeCodeKey {
            guard let seed else {
                return try OneTimeCodeKey.generate(
                    kind: kind,
                    algorithm: algorithm?.algorithm ?? .sha1,
                    digitCount: digits ?? 6,
                    issuer: issuer,
                    account: account
                )
            }
            return try OneTimeCodeKey(
                base32: seed,
                kind: kind,
                algorithm: algorithm?.algorithm ?? .sha1,
                digitCount: digits ?? 6,
                issuer: issuer,
                account: account
            )
        }
        if issuer != nil { return try make(issuer: issuer, account: place.account ?? "") }
        // A service is often an address, which the name of an issuer cannot be.
        if let key = try? make(issuer: place.service, account: place.account ?? "") { return key }
        if let key = try? make(issuer: nil, account: place.account ?? "") { return key }
        return try make(issuer: nil, account: "")
    }
}
