// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Texts with their lengths, and a time: the content of a token.
struct TokenContent: Sendable {
    var time: UnixTime
    var texts: [String]

    init(time: UnixTime, texts: [String]) {
        self.time = time
        self.texts = texts
    }

    /// Reads a content; `nil` unless it has this many texts.
    init?(_ bytes: [UInt8], textCount: Int) {
        var rest = bytes[...]
        func number(_ count: Int) -> Int64? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reduce(0) { $0 << 8 | Int64($1) }
        }
        guard let second = number(8) else { return nil }
        time = UnixTime(second)
        texts = []
        while !rest.isEmpty {
            guard let count = number(4), count <= rest.count,
                let text = String(validating: rest.prefix(Int(count)), as: UTF8.self)
            else { return nil }
            texts.append(text)
            rest = rest.dropFirst(Int(count))
        }
        guard texts.count == textCount else { return nil }
    }

    var bytes: [UInt8] {
        func bytes(_ number: Int64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> ((count - 1 - $0) * 8)) }
        }
        return texts.reduce(bytes(time.seconds, 8)) { $0 + bytes(Int64($1.utf8.count), 4) + $1.utf8 }
    }

    /// Returns whether a token that was made at `time` can be used at another time, perhaps by a process whose clock is behind.
    func isValid(at now: UnixTime, for lifetime: Duration) -> Bool {
        time <= now + LoginChallenge.tolerance && now < time + lifetime
    }
}
