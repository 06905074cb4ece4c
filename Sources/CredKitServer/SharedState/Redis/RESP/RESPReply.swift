// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A reply of the Redis protocol, RESP2.
public enum RESPReply: Sendable, Hashable {
    /// A simple string, such as `OK`, without CR and LF.
    case simple([UInt8])
    /// An error, such as `NOSCRIPT No matching script.`, without CR and LF.
    case error([UInt8])
    /// A number.
    case integer(Int64)
    /// A bulk string, which may be any bytes.
    case bytes([UInt8])
    /// The null string or the null array.
    case null
    /// An array.
    case array([RESPReply])

    /// The reply as a script's value; `nil` for an error and for an array with an error in it.
    public var value: RedisValue? {
        switch self {
        case .simple(let text), .bytes(let text): return .bytes(text)
        case .error: return nil
        case .integer(let number): return .integer(number)
        case .null: return .null
        case .array(let replies):
            var values: [RedisValue] = []
            for reply in replies {
                guard let value = reply.value else { return nil }
                values.append(value)
            }
            return .array(values)
        }
    }

    /// The text of an error; `nil` for other replies.
    public var errorText: String? {
        guard case .error(let text) = self else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
