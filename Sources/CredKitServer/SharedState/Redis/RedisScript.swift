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
