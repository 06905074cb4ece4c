// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
public import CredKit
import Glibc

/// The system's clock and its time zones.
public enum WallClock {
    private static let folder = "/usr/share/zoneinfo"

    /// Returns the current minute.
    ///
    /// - Parameter timeZone: A name that ``check(timeZone:)`` has accepted, or `nil` for the system's zone.
    /// - Returns: The current minute in that zone.
    /// - Throws: ``CommandFailure`` when the clock cannot be read.
    public static func minute(timeZone: String?) throws -> Legacy.TimestampedLogin.Minute {
        // The full path names the file that was checked, even if TZDIR is set.
        if let timeZone { setenv("TZ", ":\(folder)/\(timeZone)", 1) }
        tzset()
        var now = time(nil)
        var local = tm()
        guard localtime_r(&now, &local) != nil else {
            throw CommandFailure(.inputOutput, "cannot read the system clock")
        }
        return try Legacy.TimestampedLogin.Minute(unixTime: Int64(now), utcOffset: local.tm_gmtoff)
    }

    /// Rejects names that are not in the tz database, which the C library would silently treat as UTC.
    ///
    /// - Parameter timeZone: A name such as `Asia/Shanghai`.
    /// - Throws: `ValidationError` for a name that does not exist.
    public static func check(timeZone: String) throws {
        let isName = timeZone.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || 48...57 ~= byte
                || "/_+-".utf8.contains(byte)
        }
        // Without dots a name cannot leave the folder. The folder also has files that are not time zones.
        guard isName, !timeZone.isEmpty, !timeZone.hasPrefix("/"), isZoneFile("\(folder)/\(timeZone)") else {
            throw ValidationError(
                "There is no time zone '\(timeZone)'. Valid names are those under \(folder), for instance "
                    + "Asia/Shanghai or UTC."
            )
        }
    }

    /// Returns whether a file begins with the magic number of time zone files (RFC 8536).
    private static func isZoneFile(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var magic = [UInt8](repeating: 0, count: 4)
        return read(descriptor, &magic, 4) == 4 && magic == Array("TZif".utf8)
    }
}
