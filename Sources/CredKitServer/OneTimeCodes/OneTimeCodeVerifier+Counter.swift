// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension OneTimeCodeVerifier {
    /// The numbers of consecutive codes that find a device again.
    public static let resynchronizationCounts: ClosedRange<Int> = 2...5

    /// The number of codes of HOTP within which a device is searched.
    public static let resynchronizationWindow = 1000

    /// Finds a device again whose counter is too far ahead, by consecutive codes (RFC 4226 §7.4), and moves the stored
    /// counter behind them.
    ///
    /// Two codes of 6 digits are found by chance with a probability of 1 in 1,000,000,000. It counts as one attempt.
    ///
    /// - Parameters:
    ///   - codes: The posted texts of 2 to 5 consecutive codes, in their order.
    ///   - account: As for ``verify(_:account:key:drift:at:)``.
    ///   - key: The key of the account, with a counter.
    /// - Returns: The decision.
    /// - Throws: As ``verify(_:account:key:drift:at:)``; ``LoginServerError/invalidConfiguration`` for a key with the time.
    public func resynchronize(
        _ codes: [String],
        account: String,
        key: OneTimeCodeKey
    ) async throws(LoginServerError) -> OneTimeCodeVerification {
        guard case .counter(let next) = key.kind else {
            throw LoginServerError(
                .invalidConfiguration,
                message: "cannot resynchronize one-time codes: the key has no counter"
            )
        }
        // A long list is not parsed to its end.
        let parsed = codes.prefix(Self.resynchronizationCounts.upperBound + 1).compactMap { OneTimeCode($0) }
        guard parsed.count == codes.count, Self.resynchronizationCounts.contains(codes.count),
            parsed.allSatisfy({ $0.digitCount == key.digitCount })
        else { return .malformed }
        if let wait = try await recordAttempt(account) { return .limited(retryAfter: wait) }
        let window = UInt64(Self.resynchronizationWindow)
        let result = try await verify(parsed, account, key, next: next, lookAhead: window)
        if case .accepted = result { await resetAttempts(account) }
        return result
    }

    /// Verifies consecutive codes of HOTP.
    func verify(
        _ codes: [OneTimeCode],
        _ account: String,
        _ key: OneTimeCodeKey,
        next: UInt64,
        lookAhead: UInt64
    ) async throws(LoginServerError) -> OneTimeCodeVerification {
        guard let counters else {
            throw LoginServerError(
                .invalidConfiguration,
                message: "cannot verify a one-time code with a counter: there is no store of counters"
            )
        }
        let stored = try await LoginServerError.wrapping("the store of counters failed") {
            try await counters.counter(of: account)
        }
        let first = max(stored ?? next, next)
        // The counter behind the last code must exist.
        let room = UInt64.max - first
        guard room >= UInt64(codes.count) else { return .rejected }
        let last = first + min(lookAhead, room - UInt64(codes.count))
        guard let found = Self.counter(of: codes, key, in: first...last) else { return .rejected }
        let isStored = try await LoginServerError.wrapping("the store of counters failed") {
            try await counters.advance(to: found + UInt64(codes.count), of: account)
        }
        return isStored ? .accepted(drift: Int(found - first)) : .replayed
    }

    /// Returns the oldest counter in a window at which codes begin. Of equal codes, the newest one would take the server
    /// ahead of the device.
    private static func counter(
        of codes: [OneTimeCode],
        _ key: OneTimeCodeKey,
        in window: ClosedRange<UInt64>
    ) -> UInt64? {
        if codes.count == 1 { return key.counters(of: codes[0], in: window)?.lowerBound }
        let end = window.upperBound + UInt64(codes.count - 1)
        let all = key.codes(counters: window.lowerBound...end)
        var found: UInt64?
        for start in (0...Int(window.upperBound - window.lowerBound)).reversed() {
            var isSame = true
            // Each code is compared, whatever the others are.
            for (offset, code) in codes.enumerated() {
                let isEqual = all[start + offset] == code
                isSame = isEqual && isSame
            }
            if isSame { found = window.lowerBound + UInt64(start) }
        }
        return found
    }
}
