// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Whole seconds of a header field, RFC 9111 section 1.2.2.
enum DeltaSeconds {
    /// The largest number. Larger ones count as this one, which is 68 years.
    static let maximum: Int64 = 1 << 31

    /// Parses digits; `nil` for other text.
    static func parse(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text).map { min($0, maximum) } ?? maximum
    }

    /// Returns the seconds from one point in time to another; negative if the first one is later.
    static func between(_ earlier: UnixTime, _ later: UnixTime) -> Int64 {
        max(-maximum, min((later - earlier).components.seconds, maximum))
    }
}
