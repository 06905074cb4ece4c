// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a script of CredKit returns. An error of the server is not a value: throw it, as
/// ``SharedStateError/init(redisError:)``.
public enum RedisValue: Sendable, Hashable {
    /// Nothing.
    case null
    /// A number.
    case integer(Int64)
    /// A string, which may be any bytes.
    case bytes([UInt8])
    /// A list.
    case array([RedisValue])
}
