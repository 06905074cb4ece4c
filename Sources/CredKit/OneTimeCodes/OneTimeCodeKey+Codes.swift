// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension OneTimeCodeKey {
    /// Returns the code of a counter: for HOTP the counter, for TOTP the number of a period.
    ///
    /// - Parameter counter: The counter.
    /// - Returns: The code.
    public func code(counter: UInt64) -> OneTimeCode { codes(counters: counter...counter)[0] }

    /// Returns the code that is current at a time.
    ///
    /// - Parameter now: The time.
    /// - Returns: The code.
    /// - Throws: ``OneTimeCodeError/wrongKind`` for a key with a counter, ``OneTimeCodeError/invalidParameters`` for a time
    ///   before 1970.
    public func code(at now: UnixTime = .now) throws(OneTimeCodeError) -> OneTimeCode {
        code(counter: try timeStep(at: now))
    }

    /// Returns the time at which the code of a time is replaced by the next one. Servers usually accept it a little longer.
    ///
    /// - Parameter now: The time.
    /// - Returns: The end of the period.
    /// - Throws: As ``code(at:)``.
    public func expiry(ofCodeAt now: UnixTime = .now) throws(OneTimeCodeError) -> UnixTime {
        let period = try periodSeconds()
        let step = try timeStep(at: now)
        return UnixTime(Int64(step) * period) + .seconds(period)
    }

    /// Returns the next code of a key with a counter, and increments the counter.
    ///
    /// Store the changed key before the code is used. If it is stored afterwards and the program ends in between, the same
    /// code comes again, and a server rejects it.
    ///
    /// - Returns: The code.
    /// - Throws: ``OneTimeCodeError/wrongKind`` for a key without a counter, ``OneTimeCodeError/counterExhausted``.
    public mutating func takeCode() throws(OneTimeCodeError) -> OneTimeCode {
        guard case .counter(let counter) = kind else { throw .wrongKind }
        guard counter < .max else { throw .counterExhausted }
        setCounter(counter + 1)
        return code(counter: counter)
    }

    /// Returns the key with another counter, as a verifier needs it that has accepted a code.
    ///
    /// - Parameter counter: The counter of the next code.
    /// - Returns: The key.
    /// - Throws: ``OneTimeCodeError/wrongKind`` for a key without a counter.
    public func withCounter(_ counter: UInt64) throws(OneTimeCodeError) -> OneTimeCodeKey {
        guard case .counter = kind else { throw .wrongKind }
        var key = self
        key.setCounter(counter)
        return key
    }

    /// Returns the number of the period that a time is in.
    package func timeStep(at now: UnixTime) throws(OneTimeCodeError) -> UInt64 {
        let period = try periodSeconds()
        guard now.seconds >= 0 else { throw .invalidParameters("there are no codes for a time before 1970") }
        return UInt64(now.seconds / period)
    }

    /// The seconds of a period.
    package func periodSeconds() throws(OneTimeCodeError) -> Int64 {
        guard case .time(let period) = kind else { throw .wrongKind }
        return period.components.seconds
    }

    /// Returns the oldest and the newest counter of a window whose code is `code`: two of them have the same code by chance.
    /// All codes are computed and compared, so the time does not depend on which ones they are.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - window: The counters, at most some thousand.
    /// - Returns: The counters, or `nil` if the window has no such code.
    package func counters(of code: OneTimeCode, in window: ClosedRange<UInt64>) -> ClosedRange<UInt64>? {
        var (oldest, newest, found) = (UInt64.min, UInt64.min, UInt64.min)
        for (offset, candidate) in codes(counters: window).enumerated() {
            // All ones if the codes are equal: no branch tells which of them is.
            let mask = 0 &- UInt64(candidate == code ? 1 : 0)
            let counter = (window.lowerBound &+ UInt64(offset)) & mask
            oldest |= counter & ~found
            newest = (newest & ~mask) | counter
            found |= mask
        }
        return found == 0 ? nil : oldest...newest
    }

    /// Returns the codes of consecutive counters.
    package func codes(counters: ClosedRange<UInt64>) -> [OneTimeCode] {
        switch algorithm {
        case .sha1: codes(counters, HMAC<Legacy.SHA1>.self)
        case .sha256: codes(counters, HMAC<SHA256>.self)
        case .sha512: codes(counters, HMAC<SHA512>.self)
        }
    }

    private func codes<Function: DigestAlgorithm>(
        _ counters: ClosedRange<UInt64>,
        _: HMAC<Function>.Type
    ) -> [OneTimeCode] {
        let key = HMAC<Function>.Key(seed)
        return counters.map { counter in
            let message = InlineArray<8, UInt8> {
                UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0)))
            }
            let digest = HMAC<Function>.authenticationCode(for: message.span, using: key)
            let number = digest.withContiguousSpan(Self.truncate)
            return OneTimeCode(lastDigitsOf: number, digitCount: digitCount)
        }
    }

    /// Returns the 31 bits of a digest that make a code (RFC 4226 §5.3). All places where they can stand are read, so that
    /// the addresses do not depend on the digest.
    private static func truncate(_ digest: Span<UInt8>) -> UInt32 {
        let place = UInt32(digest[digest.count - 1] & 0x0F)
        var number: UInt32 = 0
        for index in 0..<16 {
            let word =
                UInt32(digest[index]) << 24 | UInt32(digest[index + 1]) << 16
                | UInt32(digest[index + 2]) << 8 | UInt32(digest[index + 3])
            // All ones if the numbers are equal: only then their difference is 0.
            let difference = UInt64(UInt32(index) ^ place)
            number |= word & UInt32(truncatingIfNeeded: (difference &- 1) >> 32)
        }
        return number & 0x7FFF_FFFF
    }
}
