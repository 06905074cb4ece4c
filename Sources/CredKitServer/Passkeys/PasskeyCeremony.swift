// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What a browser was asked for. It is sealed into a token that the browser brings back, so that nothing must be remembered.
struct PasskeyCeremony: Sendable {
    /// What a ceremony is for. The answer to one is none to another.
    enum Purpose: String, Sendable {
        case login
        case secondStep
        case enrolment
    }

    private static let maximumByteCount = 12 << 10
    private static let textCount = 7

    let purpose: Purpose
    let challenge: WebAuthn.Challenge
    /// The name of the account in the server's table; empty for a login without a user name.
    let account: String
    let relyingPartyID: String
    let userVerification: WebAuthn.UserVerification
    /// What ``hash(of:)`` returns for the accepted passkeys.
    let allowed: String
    /// What ``hash(ofBrowser:)`` returns.
    let browser: String
    let time: UnixTime

    /// Begins a ceremony with a new challenge.
    init(
        _ purpose: Purpose,
        account: String,
        relyingParty: WebAuthn.RelyingParty,
        userVerification: WebAuthn.UserVerification,
        allowed: [[UInt8]],
        browser: String,
        at time: UnixTime,
        lifetime: Duration
    ) {
        self.purpose = purpose
        challenge = .random(expiry: time + lifetime)
        self.account = account
        relyingPartyID = relyingParty.id
        self.userVerification = userVerification
        self.allowed = Self.hash(of: allowed)
        self.browser = Self.hash(ofBrowser: browser)
        self.time = time
    }

    /// Opens a token; `nil` unless it is one of this purpose, site and browser, and has not expired.
    init?(
        _ token: String,
        _ purpose: Purpose,
        relyingParty: WebAuthn.RelyingParty,
        browser: String,
        at now: UnixTime,
        lifetime: Duration,
        sealer: TokenSealer
    ) throws(LoginServerError) {
        guard let (bytes, _) = try sealer.open(token, maximumByteCount: Self.maximumByteCount),
            let content = TokenContent(bytes, textCount: Self.textCount),
            content.isValid(at: now, for: lifetime), content.texts[0] == purpose.rawValue,
            let challengeBytes = try? Base64.urlSafe.unpadded.decode(content.texts[1]),
            let challenge = try? WebAuthn.Challenge(bytes: challengeBytes, expiry: content.time + lifetime),
            content.texts[3] == relyingParty.id,
            let userVerification = WebAuthn.UserVerification(rawValue: content.texts[4]),
            ConstantTime.areEqual(content.texts[6].utf8, Self.hash(ofBrowser: browser).utf8)
        else { return nil }
        self.purpose = purpose
        self.challenge = challenge
        account = content.texts[2]
        relyingPartyID = content.texts[3]
        self.userVerification = userVerification
        allowed = content.texts[5]
        self.browser = content.texts[6]
        time = content.time
    }

    /// Returns the token.
    func token(_ sealer: TokenSealer) throws(LoginServerError) -> String {
        let texts = [
            purpose.rawValue, Base64.urlSafe.unpadded.encode(challenge.bytes), account, relyingPartyID,
            userVerification.rawValue, allowed, browser,
        ]
        return try sealer.seal(TokenContent(time: time, texts: texts).bytes)
    }

    /// What an accepted response uses up.
    func use(of account: String, at now: UnixTime) -> SingleUse {
        SingleUse(
            StoreKey("passkey challenge", Base64.urlSafe.unpadded.encode(challenge.bytes)),
            of: account,
            // For processes whose clocks are behind: the token is valid there for longer.
            validFrom: time - LoginChallenge.tolerance,
            validUntil: challenge.expiry + LoginChallenge.tolerance + .seconds(1),
            verifiedAt: now
        )
    }

    /// Returns a hash of identifiers, in any order.
    static func hash(of ids: [[UInt8]]) -> String {
        let texts = ids.map { Base64.urlSafe.unpadded.encode($0) }.sorted()
        return StoreKey("passkeys of a ceremony", texts.joined(separator: " ")).hex
    }

    private static func hash(ofBrowser browser: String) -> String {
        StoreKey("browser of a ceremony", browser).hex
    }
}
