// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import CredKit
import Glibc

/// The system's clock and its time zones.
package enum WallClock {
    private static let folder = "/usr/share/zoneinfo"

    /// The minute that clocks show now.
    ///
    /// - Parameter timeZone: A name that ``check(timeZone:)`` has let pass, or `nil` for the system's zone.
    /// - Returns: The minute on clocks of that zone.
    /// - Throws: ``CommandFailure`` when the clock cannot be read.
    package static func minute(timeZone: String?) throws -> LoginMinute {
        // By its whole path: the file that was checked, whatever TZDIR says.
        if let timeZone { setenv("TZ", ":\(folder)/\(timeZone)", 1) }
        tzset()
        var now = time(nil)
        var local = tm()
        guard localtime_r(&now, &local) != nil else {
            throw CommandFailure(.inputOutput, "the system's clock cannot be read")
        }
        return try LoginMinute(unixTime: Int64(now), utcOffset: local.tm_gmtoff)
    }

    /// Refuses names that are not in the tz database: the C library takes them for UTC without a word.
    ///
    /// - Parameter timeZone: A name such as `Asia/Shanghai`.
    /// - Throws: `ValidationError` for a name that does not exist.
    package static func check(timeZone: String) throws {
        let isName = timeZone.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || 48...57 ~= byte
                || "/_+-".utf8.contains(byte)
        }
        // Without dots there is no way out of the folder; and other files there are no zones.
        guard isName, !timeZone.isEmpty, !timeZone.hasPrefix("/"), isZoneFile("\(folder)/\(timeZone)") else {
            throw ValidationError(
                "There is no time zone '\(timeZone)'. The names are those under \(folder), for instance "
                    + "Asia/Shanghai or UTC."
            )
        }
    }

    /// Whether a file begins as RFC 8536 says that zones begin.
    private static func isZoneFile(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var magic = [UInt8](repeating: 0, count: 4)
        return read(descriptor, &magic, 4) == 4 && magic == Array("TZif".utf8)
    }
}
