// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// A challenge that a proof may be computed over, and the time in which it is acceptable.
struct LoginCandidate: Sendable {
    let challenge: String
    let validFrom: Int64
    let validUntil: Int64
    /// Whether the challenge is valid for one login only, of any user.
    let isOneTime: Bool

    /// Returns the minutes around the server's local time, which is given in seconds as if it were UTC.
    static func minutes(around wallTime: Int64, window: Int) -> [LoginCandidate] {
        let minute = wallTime - Int64(Int(wallTime).flooredQuotientAndRemainder(dividingBy: 60).remainder)
        let reach = Int64(window)
        return (-reach...reach).compactMap { distance in
            let start = minute + distance * 60
            guard let text = try? Legacy.TimestampedLogin.Minute(unixTime: start) else { return nil }
            return LoginCandidate(
                challenge: text.description,
                validFrom: start - reach * 60,
                validUntil: start + (reach + 1) * 60,
                isOneTime: false
            )
        }
    }

    init(challenge: String, validFrom: Int64, validUntil: Int64, isOneTime: Bool) {
        self.challenge = challenge
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.isOneTime = isOneTime
    }

    init(_ challenge: LoginChallenge) {
        self.init(
            challenge: challenge.text,
            validFrom: challenge.issuedAt.seconds,
            validUntil: challenge.expiresAt.seconds,
            isOneTime: true
        )
    }

    /// Returns the key under which a proof for this challenge is remembered. One login uses up a one-time challenge for
    /// all users; for a minute each user has their own proof.
    func replayKey(accountName: String, proof: MessageDigest<16>) -> StoreKey {
        isOneTime
            ? StoreKey(challenge: challenge) : StoreKey(ofMinuteOf: accountName, proof: proof)
    }
}

/// The candidates of a verification.
struct LoginCandidates: Sendable {
    let list: [LoginCandidate]
    /// Their challenges, in the same order.
    let challenges: Legacy.TimestampedLogin.Challenges

    init(_ list: [LoginCandidate]) {
        self.list = list
        challenges = Legacy.TimestampedLogin.Challenges(list.map(\.challenge))
    }
}
