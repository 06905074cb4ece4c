// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes the dates of scenarios with the C library, which shares nothing with what reads them.
enum ScenarioDate {
    /// The clock of a scenario at its start: 2001-09-09 01:46:40 UTC.
    static let start: Int64 = 1_000_000_000

    /// Returns a date at a distance in seconds: `+60` from now, `@60` from the start; after `850` or `asc` in the
    /// form of RFC 850 or of asctime.
    static func text(_ name: Substring, now: Int64) -> String {
        let words = name.split(separator: " ")
        let distance = words.last ?? "0"
        let time =
            distance.hasPrefix("@")
            ? start + (Int64(distance.dropFirst()) ?? 0) : now + (Int64(distance) ?? 0)
        let format =
            switch words.count > 1 ? words[0] : "" {
            case "850": "%A, %d-%b-%y %H:%M:%S GMT"
            case "asc": "%a %b %e %H:%M:%S %Y"
            default: "%a, %d %b %Y %H:%M:%S GMT"
            }
        var seconds = time_t(time)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
