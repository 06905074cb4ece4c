// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitClient
@testable import CredKitServer
@testable import CredKitSystem

extension FuzzTarget {
    /// Feeds the challenges of servers, the names of their time zones and zone files to the client, and the challenges
    /// that clients return to the server.
    static let challenges = FuzzTarget("challenges") { bytes in
        var input = FuzzInput(bytes)
        switch input.byte() % 4 {
        case 0: try ChallengeProperties.checkMinute(&input)
        case 1: try ChallengeProperties.checkZone(input.text)
        case 2: try ChallengeProperties.checkZoneFile(input.remaining)
        default: try ChallengeProperties.checkReturned(&input)
        }
    }
}

private enum ChallengeProperties {
    private static let now = UnixTime(1_700_000_000)

    /// A client only computes a proof for a minute that is now, in some time zone.
    static func checkMinute(_ input: inout FuzzInput) throws {
        let offset = Duration.seconds((Int(input.byte()) - 128) * 15 * 60)
        let text = input.text
        let unknown = ServerTimeCheck(format: .minute, zone: nil, knownOffset: nil, trustedUTCOffset: nil)
        let known = ServerTimeCheck(format: .minute, zone: nil, knownOffset: offset, trustedUTCOffset: nil)
        let fixed = ServerTimeCheck(
            format: .minute,
            zone: .fixed(seconds: Int(offset.components.seconds)),
            knownOffset: nil,
            trustedUTCOffset: nil
        )
        let minute = try? Legacy.TimestampedLogin.Minute(
            String(decoding: text.utf8.prefix(16), as: UTF8.self)
        )
        let ahead = minute.map { $0.minutesSince1970 - Int(now.seconds / 60) }
        if let found = try? unknown.check(text, now: now) {
            let rest = text.utf8.dropFirst(16)
            try require(
                rest.isEmpty || rest.first == 0x20 && 2...129 ~= rest.count,
                "little follows a minute: \(text)"
            )
            try require(
                rest.dropFirst().allSatisfy {
                    (try? Base64.urlSafe.unpadded.decode([$0, 65, 65, 65])) != nil
                },
                "only a one-time value follows a minute: \(text)"
            )
            let difference = ahead.map { abs($0 - Int(found.components.seconds / 60)) }
            try require(
                difference.map { $0 <= 5 } ?? false,
                "the minute is now at the offset: \(text), \(found)"
            )
            try require(
                found >= .seconds(-12 * 3600) && found <= .seconds(14 * 3600),
                "an offset on earth: \(found)"
            )
        }
        if let found = try? known.check(text, now: now) {
            try requireEqual(found, offset, "another offset than the known one is refused")
        }
        if (try? fixed.check(text, now: now)) != nil {
            let difference = ahead.map { abs($0 - Int(offset.components.seconds / 60)) }
            try require(
                difference.map { $0 <= 5 } ?? false,
                "the minute is now in the zone: \(text), \(offset)"
            )
        }
        let opaque = ServerTimeCheck(format: .opaque, zone: nil, knownOffset: nil, trustedUTCOffset: nil)
        if (try? opaque.check(text, now: now)) != nil {
            try require(1...1024 ~= text.utf8.count, "challenges are limited")
            try require(text.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "challenges are visible: \(text)")
        }
    }

    static func checkZone(_ text: String) throws {
        guard let zone = try? ServerZone(text) else { return }
        try require(
            !text.contains("..") && text.utf8.first != UInt8(ascii: "/"),
            "a name stays in its folder: \(text)"
        )
        for time in [0, now.seconds, -1 << 40, 1 << 40, .min, .max] {
            try require(abs(zone.utcOffset(at: time)) <= 26 * 3600, "an offset on earth: \(text)")
        }
    }

    static func checkZoneFile(_ bytes: [UInt8]) throws {
        guard let zone = ZoneFile(bytes) else { return }
        let server = ServerZone.zone(zone)
        for time in [0, now.seconds, -1 << 40, 1 << 40, .min, .max] {
            let offset = server.utcOffset(at: time)
            try require(
                Int(Int32.min) - 86_400 * 8...Int(Int32.max) + 86_400 * 8 ~= offset,
                "an offset: \(offset)"
            )
        }
        let check = ServerTimeCheck(format: .minute, zone: server, knownOffset: nil, trustedUTCOffset: nil)
        _ = try? check.check("2023-11-14 22:13", now: now)
    }

    /// Only a challenge that the server made, unchanged, is accepted.
    static func checkReturned(_ input: inout FuzzInput) throws {
        let coder = LoginChallengeCoder(key: try SecretBytes("0123456789abcdef"), lifetime: .seconds(60))
        let position = Int(input.byte())
        let bits = input.byte()
        try require(coder.read(input.text) == nil, "a challenge of others is refused: \(input.text)")
        let made = coder.make(at: now, minute: try Legacy.TimestampedLogin.Minute(now))
        try requireEqual(coder.read(made.text), made, "the server's own challenge is accepted")
        var changed = Array(made.text.utf8)
        changed[position % changed.count] ^= bits
        guard bits != 0, let text = String(input: changed) else { return }
        try require(coder.read(text) == nil, "a changed challenge is refused: \(text)")
    }
}
