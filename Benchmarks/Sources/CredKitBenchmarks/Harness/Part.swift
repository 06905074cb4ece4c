// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A part of the benchmarks, run in a separate process.
enum Part: String, CaseIterable {
    case base64, md5, sizes, passwords, cookies, verifier, session, download, request, cache, signing, load,
        storm,
        keychain,
        commands, blocklist, scram, passkeys, growth, timing, servers, checks

    func measure(_ options: Options) async throws -> (outcomes: [Outcome], sizes: [SizeSeries]) {
        switch self {
        case .base64: (try Base64Comparisons(options).measure(), [])
        case .md5: (try MD5Comparisons(options).measure(), [])
        case .sizes: ([], try SizeSweep(options).measure())
        case .passwords:
            (
                try Argon2idComparison.measure(options) + PBKDF2Comparison.measure(options)
                    + ScryptComparison.measure() + CryptComparison.measure()
                    + [BcryptComparison.measure(options), UpgradeComparison.measure(options)], []
            )
        case .cookies: ([try CookieComparison.make().measure()], [])
        case .verifier: ([try VerifierLoad.make().measure()], [])
        case .session: (try SessionLoad.measure(), [])
        case .download: (try DownloadComparison.measure(), [])
        case .request: ([try RequestComparison.measure(options)], [])
        case .cache: (try CacheComparisons.measure(options), [])
        case .signing: (try SigningComparisons.measure(options), [])
        case .load: ([try await ServiceLoad.measure(), try await CancellationLoad.measure()], [])
        case .storm: (try await StormLoad.measure(), [])
        case .keychain: (try KeychainComparisons.measure(options), [])
        case .commands: (try CommandComparisons.measure(options), [])
        case .blocklist: (try BlocklistComparison.measure(options), [])
        case .scram: (try [SCRAMVerifierComparison.measure()] + SCRAMComparison.measure(options), [])
        case .passkeys: (try PasskeyComparison.measure() + ServersLoad.measurePasskeys(options), [])
        case .growth: (try KeychainGrowth.measure(), [])
        case .servers: (try ServersLoad.measure(options), [])
        case .checks: (try ServersLoad.measureChecks(options), [])
        case .timing:
            (
                try await UserEnumeration().measure() + SCRAMEnumeration().measure()
                    + PasskeyEnumeration().measure(), []
            )
        }
    }
}
