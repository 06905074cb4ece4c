// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Checks whether a challenge may be used for a proof.
///
/// A proof is valid for the minute of its challenge. An attacker who makes a client use another minute
/// obtains a proof for that minute, so the challenge is compared with this computer's clock.
struct ServerTimeCheck: Sendable {
    /// The maximum difference of the two clocks, in minutes.
    private static let tolerance = 5
    /// The range of UTC offsets on earth, in minutes.
    private static let offsets = -12 * 60...14 * 60
    /// The size of a minute in bytes.
    private static let minuteByteCount = 16
    /// The maximum sizes in bytes of an opaque challenge, and of the one-time value after a minute.
    static let opaqueByteCountLimit = 1024
    static let oneTimeByteCountLimit = 128

    let format: LoginProfile.ChallengeSource.Format
    let zone: ServerZone?
    /// The offset at the first login.
    let knownOffset: Duration?
    /// The offset that the user has accepted instead.
    let trustedUTCOffset: Duration?

    /// Rejects challenges that must not be used for a proof.
    ///
    /// - Parameters:
    ///   - text: The challenge from the server.
    ///   - now: This computer's clock.
    /// - Returns: The offset to remember; `nil` if there is none.
    /// - Throws: `malformedChallenge`, `clockSkew` or `serverUTCOffsetChanged`.
    func check(_ text: String, now: UnixTime) throws(ClientError) -> Duration? {
        guard format == .minute else {
            try Self.checkOpaque(text)
            return nil
        }
        let minute = try Self.minute(text)
        let minuteHere = Int((Double(now.seconds) / 60).rounded(.down))
        let ahead = minute.minutesSince1970 - minuteHere
        if let zone {
            // Compare with the zone's clocks at the minutes around now, because their offset jumps when
            // summer time begins or ends.
            let isNear = (-Self.tolerance...Self.tolerance).contains { apart in
                ahead - apart == Self.minutes(of: zone, at: now + .minutes(apart))
            }
            guard isNear else { throw Self.skew(minute, ahead - Self.minutes(of: zone, at: now)) }
            return nil
        }
        let minutes = Int((Double(ahead) / 15).rounded()) * 15
        guard Self.offsets.contains(minutes), abs(ahead - minutes) <= Self.tolerance else {
            throw Self.skew(minute, nil)
        }
        let offset = Duration.minutes(minutes)
        guard let knownOffset, offset != knownOffset, offset != trustedUTCOffset else { return offset }
        throw .serverUTCOffsetChanged(Self.describe(from: knownOffset, to: offset), to: offset)
    }

    /// Rejects an opaque challenge that is too long, or has other characters than visible ASCII and blanks.
    private static func checkOpaque(_ text: String) throws(ClientError) {
        guard (1...opaqueByteCountLimit).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw .malformedChallenge(
                "the server's challenge is not 1 to \(opaqueByteCountLimit) characters of visible ASCII"
            )
        }
    }

    /// Returns the minute of a challenge that is a minute, or a minute, a blank and a one-time value in base64url.
    ///
    /// Everything after the minute is part of the proof. An attacker must not be able to choose more of it than a
    /// one-time value needs.
    private static func minute(_ text: String) throws(ClientError) -> Legacy.TimestampedLogin.Minute {
        let rest = text.utf8.dropFirst(minuteByteCount)
        let isOneTime =
            rest.first == 0x20 && (1...oneTimeByteCountLimit).contains(rest.count - 1)
            && rest.dropFirst().allSatisfy {
                URLBytes.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
        if rest.isEmpty || isOneTime,
            let minute = try? Legacy.TimestampedLogin.Minute(
                String(decoding: text.utf8.prefix(minuteByteCount), as: UTF8.self)
            )
        {
            return minute
        }
        throw .malformedChallenge(
            "the server's challenge is not a minute (yyyy-MM-dd HH:mm), alone or with a blank and a one-time value in "
                + "base64url after it; for other formats set timeFormat to opaque in the login profile, which disables "
                + "all checks of the time"
        )
    }

    /// Returns how far a zone is ahead of UTC, in minutes.
    private static func minutes(of zone: ServerZone, at time: UnixTime) -> Int {
        Int((Double(zone.utcOffset(at: time.seconds)) / 60).rounded())
    }

    private static func skew(_ minute: Legacy.TimestampedLogin.Minute, _ difference: Int?)
        -> ClientError
    {
        let much =
            if let difference {
                "\(abs(difference)) minutes \(difference > 0 ? "ahead of" : "behind") this computer's clock"
            } else {
                "not the current time in any time zone"
            }
        return .clockSkew(
            "the server's challenge is for \(minute), which is \(much); one of the two clocks is wrong, or an attacker "
                + "tries to obtain a proof for another minute"
        )
    }

    private static func describe(from known: Duration, to offset: Duration) -> String {
        let change =
            "the server's clock was at \(text(known)) at the first login, and is at \(text(offset)) now"
        guard abs((offset - known).wholeMinutes) == 60 else {
            return change
                + "; accept it only if you know why, because a false time reveals proofs for other minutes"
        }
        return change + ", as after a summer time change; accept it if there was one"
    }

    /// Formats an offset for messages.
    static func text(_ offset: Duration) -> String {
        let (hours, minutes) = abs(offset.wholeMinutes).quotientAndRemainder(dividingBy: 60)
        return
            "UTC\(offset < .zero ? "-" : "+")\(hours < 10 ? "0" : "")\(hours):\(minutes < 10 ? "0" : "")\(minutes)"
    }
}

extension Duration {
    /// Returns a duration of minutes. Numbers beyond 32 bits are limited to them.
    static func minutes(_ count: Int) -> Duration { .seconds(60 * Int64(Int32(clamping: count))) }

    /// The number of whole minutes, rounded towards zero.
    var wholeMinutes: Int { Int(components.seconds / 60) }
}
