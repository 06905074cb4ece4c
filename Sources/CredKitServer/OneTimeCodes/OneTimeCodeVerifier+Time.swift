// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension OneTimeCodeVerifier {
    /// Verifies a code of TOTP.
    func verify(
        _ code: OneTimeCode,
        _ account: String,
        _ key: OneTimeCodeKey,
        period: Int64,
        drift: Int,
        at now: UnixTime
    ) async throws(LoginServerError) -> OneTimeCodeVerification {
        // Far enough from the ends of the range for all sums below.
        guard 0...(1 << 40) ~= now.seconds else {
            throw LoginServerError(
                .timeOutOfRange,
                message: "cannot verify a one-time code: the time is before 1970 or too late"
            )
        }
        let bound = Int64(maximumDrift)
        let step = now.seconds / period
        let center = step + min(max(Int64(drift), -bound), bound)
        let first = max(center - Int64(before), 0)
        let last = center + Int64(after)
        guard last >= 0,
            let found = key.counters(of: code, in: UInt64(first)...UInt64(last))
        else { return .rejected }
        let used = Int64(found.upperBound)
        // Older codes first: if the process ends in between, none of them is left. A store that cannot mark one cannot
        // accept it later either.
        for older in first..<used {
            _ = try await replays.markUsed(use(of: older, account, period: period, at: now))
        }
        switch try await replays.markUsed(use(of: used, account, period: period, at: now)) {
        case .accepted: return .accepted(drift: Int(min(max(used - step, -bound), bound)))
        case .replayed: return .replayed
        case .unavailable(let wait): return .unavailable(retryAfter: wait)
        }
    }

    /// The use of a code: from the first to the last moment at which any drift makes it acceptable.
    private func use(of step: Int64, _ account: String, period: Int64, at now: UnixTime) -> SingleUse {
        let earliest = (step - Int64(after + maximumDrift)) * period
        let latest = (step + 1 + Int64(before + maximumDrift)) * period
        return SingleUse(
            key: StoreKey("one-time code", account, "\(period)", "\(step)"),
            account: StoreKey("one-time code account", account),
            validFrom: earliest - Self.clockTolerance,
            validUntil: latest,
            verifiedAt: now.seconds,
            secondInMinute: nil,
            // For other processes, whose clocks are behind this one.
            margin: .seconds(Self.clockTolerance + 1)
        )
    }
}
