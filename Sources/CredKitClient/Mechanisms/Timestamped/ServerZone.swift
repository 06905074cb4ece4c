// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The time zone of a server's clock: a fixed offset, or a tz database zone with its summer time rules.
enum ServerZone: Sendable {
    case fixed(seconds: Int)
    case zone(ZoneFile)

    /// Parses the time zone of a profile: `UTC`, `+08:00`, `-0330`, `Asia/Shanghai`.
    init(_ text: String) throws(ClientError) {
        if ["UTC", "GMT", "Z"].contains(text) {
            self = .fixed(seconds: 0)
        } else if let seconds = Self.offset(text) {
            self = .fixed(seconds: seconds)
        } else if let file = ZoneFile(named: text) {
            self = .zone(file)
        } else {
            throw .invalidProfile(
                "there is no time zone '\(text)': give a name of the tz database such as Asia/Shanghai, UTC, or an "
                    + "offset such as +08:00"
            )
        }
    }

    /// Returns how far the zone is ahead of UTC at a point in time, in seconds.
    func utcOffset(at unixTime: Int64) -> Int {
        switch self {
        case .fixed(let seconds): seconds
        case .zone(let file): file.utcOffset(at: unixTime)
        }
    }

    /// Parses `+hh:mm`, `+hhmm` or `+hh`, up to 14 hours.
    private static func offset(_ text: String) -> Int? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        var digits = text.dropFirst()
        if digits.count == 5, digits.dropFirst(2).first == ":" {
            digits.remove(at: digits.index(digits.startIndex, offsetBy: 2))
        }
        guard digits.count == 2 || digits.count == 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let hours = Int(digits.prefix(2)), let minutes = Int(digits.count == 4 ? digits.suffix(2) : "0"),
            minutes < 60, hours * 60 + minutes <= 14 * 60
        else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}
