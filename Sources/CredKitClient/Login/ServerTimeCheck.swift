// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Whether a time text may be used for a proof.
///
/// A proof is good for the minute that is in it. Whoever makes a client believe in another minute harvests a proof for
/// that one, so the text is held against this computer's clock.
struct ServerTimeCheck: Sendable {
    /// How far the two clocks may be apart, in minutes.
    static let tolerance = 5
    /// The offsets from UTC that clocks on earth have, in minutes.
    static let offsets = -12 * 60...14 * 60
    /// The longest text that is used, in bytes.
    static let byteCountLimit = 4096

    let format: LoginProfile.TimeText.Format
    let zone: ServerZone?
    /// The offset that was seen at the first login, in minutes.
    let knownOffset: Int?
    /// The offset that a person has accepted in its place.
    let acceptedOffset: Int?

    /// Refuses texts that a proof must not be made of.
    ///
    /// - Parameters:
    ///   - text: What the server sent.
    ///   - now: This computer's clock, in seconds since 1970.
    /// - Returns: The offset that is to be remembered, in minutes; `nil` if there is none to remember.
    /// - Throws: `malformedTime`, `timeRefused` or `timeOffsetChanged`.
    func check(_ text: String, now: Int64) throws(LoginError) -> Int? {
        guard !text.isEmpty, text.utf8.count <= Self.byteCountLimit else {
            throw .malformedTime(
                "the server's time text is empty or longer than \(Self.byteCountLimit) bytes"
            )
        }
        guard format == .minute else { return nil }
        let minute: LoginMinute
        do throws(LoginMinute.InvalidError) {
            minute = try LoginMinute(String(decoding: text.utf8.prefix(16), as: UTF8.self))
        } catch {
            throw .malformedTime(
                "the server's time text does not begin with a minute as yyyy-MM-dd HH:mm; if it is meant to be another text, "
                    + "the profile must say timeFormat opaque, and nothing is checked then"
            )
        }
        let minuteHere = Int((Double(now) / 60).rounded(.down))
        let ahead = minute.minutesSince1970 - minuteHere
        if let zone {
            // What clocks there show at one of the minutes around now. When summer time begins or ends, that jumps.
            let isNear = (-Self.tolerance...Self.tolerance).contains { apart in
                ahead - apart == Self.minutes(of: zone, at: now &+ Int64(apart) * 60)
            }
            guard isNear else { throw Self.refused(minute, ahead - Self.minutes(of: zone, at: now)) }
            return nil
        }
        let offset = Int((Double(ahead) / 15).rounded()) * 15
        guard Self.offsets.contains(offset), abs(ahead - offset) <= Self.tolerance else {
            throw Self.refused(minute, nil)
        }
        guard let knownOffset, offset != knownOffset, offset != acceptedOffset else { return offset }
        throw .timeOffsetChanged(Self.describe(from: knownOffset, to: offset), to: offset)
    }

    /// How far a zone's clocks are ahead of UTC, in minutes.
    private static func minutes(of zone: ServerZone, at unixTime: Int64) -> Int {
        Int((Double(zone.utcOffset(at: unixTime)) / 60).rounded())
    }

    private static func refused(_ minute: LoginMinute, _ difference: Int?) -> LoginError {
        let much =
            if let difference {
                "\(abs(difference)) minutes \(difference > 0 ? "ahead of" : "behind") this computer's clock"
            } else {
                "no time that clocks show anywhere on earth now"
            }
        return .timeRefused(
            "the server's time text says \(minute), which is \(much); one of the two clocks is wrong, or somebody between wants "
                + "a proof for another minute"
        )
    }

    private static func describe(from known: Int, to offset: Int) -> String {
        let change =
            "the server's clock was \(text(known)) at the first login, and is \(text(offset)) now"
        guard abs(offset - known) == 60 else {
            return change + "; accept that only if you know why, since a false time harvests proofs"
        }
        return change + ", as after a change of summer time; accept it if there was one"
    }

    /// An offset for people.
    static func text(_ offset: Int) -> String {
        let (hours, minutes) = abs(offset).quotientAndRemainder(dividingBy: 60)
        return
            "UTC\(offset < 0 ? "-" : "+")\(hours < 10 ? "0" : "")\(hours):\(minutes < 10 ? "0" : "")\(minutes)"
    }
}
