// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Seconds since 1970-01-01 00:00:00 UTC, the form in which every part of the server takes times.
enum ClampedTime {
    /// Clamps a time to the years 1970 to 6325, so that adding lifetimes cannot overflow. The clock of a machine may
    /// have any value.
    static func clamp(_ time: Int64) -> Int64 { min(max(time, 0), 1 << 37) }
}
