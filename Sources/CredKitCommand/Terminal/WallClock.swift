// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import Glibc

/// The system's clock and its time zones.
enum WallClock {
    /// The minute that clocks show now.
    ///
    /// - Parameter timeZone: A name from the tz database such as `Asia/Shanghai`, or `nil` for the system's zone.
    /// - Returns: The minute on clocks of that zone.
    /// - Throws: `ValidationError` for a name that does not exist.
    static func minute(timeZone: String?) throws -> LoginMinute {
        if let timeZone {
            // The C library takes an unknown name for UTC without a word, so the name is looked up first.
            guard isKnown(timeZone) else {
                throw ValidationError(
                    "There is no time zone '\(timeZone)'. The names are those under /usr/share/zoneinfo, for "
                        + "instance Asia/Shanghai or UTC."
                )
            }
            setenv("TZ", ":\(timeZone)", 1)
        }
        tzset()
        var now = time(nil)
        var local = tm()
        guard localtime_r(&now, &local) != nil else {
            throw CommandFailure(.inputOutput, "the system's clock cannot be read")
        }
        return try LoginMinute(unixTime: Int64(now), utcOffset: local.tm_gmtoff)
    }

    private static func isKnown(_ name: String) -> Bool {
        let isName = name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || 48...57 ~= byte
                || "/_+-".utf8.contains(byte)
        }
        // Without dots there is no way out of the folder.
        guard isName, !name.isEmpty, !name.hasPrefix("/") else { return false }
        var status = stat()
        return stat("/usr/share/zoneinfo/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
