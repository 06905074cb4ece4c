// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A script that a Redis server runs as one atomic step: `EVAL`.
public struct RedisScript: Sendable, Hashable {
    /// A short name, for logs and metrics.
    public let name: String

    /// The text in Lua 5.1, which begins with `#!lua`, as Redis 7.0 and later take it.
    public let text: String

    /// The SHA-1 of the text in 40 lowercase hexadecimal digits, for `EVALSHA`.
    public let sha1: String

    init(name: String, text: String) {
        self.name = name
        self.text = text
        var function = Legacy.SHA1()
        function.update(text.utf8Span.span)
        sha1 = function.finalizeAndWipe().hex
    }
}

// Times are microseconds since 1970 by the engine's clock, which a number of Lua holds exactly. Each script returns a list
// that begins with this time and a word.
extension RedisScript {
    /// Creates a script that begins with the time of the engine.
    ///
    /// Redis refuses a script with this first line as a whole if it has no memory left, is a replica, or has too few replicas:
    /// without the line, a script that first removes something is past these checks.
    init(_ name: String, allowsFullMemory: Bool = false, _ parts: String...) {
        let head = """
            #!lua\(allowsFullMemory ? " flags=allow-oom" : "")
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local function digits(number) return string.format('%.0f', number) end
            """
        self.init(name: name, text: ([head] + parts).joined(separator: "\n"))
    }
}
