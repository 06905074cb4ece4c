// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Seconds since 1970-01-01 00:00:00 UTC, as every part of the server is given them.
enum UnixTime {
    /// A time that sums of lifetimes cannot make overflow: from 1970 to the year 6325. The clock of a machine may say
    /// anything.
    static func clamp(_ time: Int64) -> Int64 { min(max(time, 0), 1 << 37) }
}
