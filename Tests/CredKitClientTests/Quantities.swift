// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Points in time as numbers, as the vectors write them.
extension UnixTime: ExpressibleByIntegerLiteral {
    /// Creates a point in time.
    public init(integerLiteral seconds: Int64) { self.init(seconds) }

    static let min = UnixTime(.min)
    static let max = UnixTime(.max)

    static func + (time: UnixTime, seconds: Int64) -> UnixTime { time + .seconds(seconds) }
    static func - (time: UnixTime, seconds: Int64) -> UnixTime { time - .seconds(seconds) }
    static func += (time: inout UnixTime, seconds: Int64) { time = time + seconds }
}
