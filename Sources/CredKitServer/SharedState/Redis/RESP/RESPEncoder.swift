// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Encodes commands of the [Redis protocol](https://redis.io/docs/latest/develop/reference/protocol-spec/), for a
/// ``RedisScriptRunner`` over a connection of your own. ``RESPParser`` reads the replies.
public enum RESPEncoder {
    /// Returns a command: an array of bulk strings.
    ///
    /// - Parameter parts: The name of the command and its arguments, which may be any bytes.
    /// - Returns: The bytes to send.
    public static func command(_ parts: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        // A header has at most 23 bytes, and a string ends with 2.
        bytes.reserveCapacity(parts.reduce(23) { $0 + $1.count + 25 })
        append("*", parts.count, to: &bytes)
        for part in parts {
            append("$", part.count, to: &bytes)
            bytes += part
            bytes += [13, 10]
        }
        return bytes
    }

    /// Returns a command whose parts are text.
    ///
    /// - Parameter parts: The name of the command and its arguments.
    /// - Returns: The bytes to send.
    public static func command(_ parts: String...) -> [UInt8] { command(parts.map { Array($0.utf8) }) }

    private static func append(_ kind: String, _ count: Int, to bytes: inout [UInt8]) {
        bytes += "\(kind)\(count)\r\n".utf8
    }
}
