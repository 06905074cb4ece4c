// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Returns a duration of minutes. Numbers beyond 32 bits are limited to them.
    static func minutes(_ count: Int) -> Duration { .seconds(60 * Int64(Int32(clamping: count))) }

    /// The number of whole minutes, rounded towards zero.
    var wholeMinutes: Int { Int(components.seconds / 60) }
}
