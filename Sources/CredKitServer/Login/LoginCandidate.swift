// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// A time text that a proof may be made for, and when that is.
struct LoginCandidate: Sendable {
    let timeText: String
    let acceptableFrom: Int64
    let acceptableUntil: Int64
    /// Whether the text was made for one login, whoever's.
    let isOneTime: Bool

    /// The minutes around the one that the server's clock shows, which is told in seconds as if it were UTC.
    static func minutes(around wallTime: Int64, window: Int) -> [LoginCandidate] {
        let minute = wallTime - Int64(Int(wallTime).flooredQuotientAndRemainder(dividingBy: 60).remainder)
        let reach = Int64(window)
        return (-reach...reach).compactMap { distance in
            let start = minute + distance * 60
            guard let text = try? LoginMinute(unixTime: start) else { return nil }
            return LoginCandidate(
                timeText: text.description,
                acceptableFrom: start - reach * 60,
                acceptableUntil: start + (reach + 1) * 60,
                isOneTime: false
            )
        }
    }

    init(timeText: String, acceptableFrom: Int64, acceptableUntil: Int64, isOneTime: Bool) {
        self.timeText = timeText
        self.acceptableFrom = acceptableFrom
        self.acceptableUntil = acceptableUntil
        self.isOneTime = isOneTime
    }

    init(_ text: OneTimeText) {
        self.init(
            timeText: text.text,
            acceptableFrom: text.issuedAt,
            acceptableUntil: text.expiresAt,
            isOneTime: true
        )
    }

    /// What a proof for this text is remembered by. A one-time text is used up whoever logged in with it; in a minute
    /// each user has a proof of their own.
    func replayKey(accountName: String, proof: MessageDigest<16>) -> ReplayKey {
        isOneTime
            ? ReplayKey(oneTimeText: timeText) : ReplayKey(ofMinuteOf: accountName, proof: proof)
    }
}
