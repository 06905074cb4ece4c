// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The first half of a login, as the client carries it from one request to the next.
struct SCRAMExchange: Sendable {
    let clientFirst: SCRAM.ClientFirst
    let serverFirst: String
    let content: TokenContent
    private let lifetime: Duration

    init(
        _ clientFirst: SCRAM.ClientFirst,
        message: String,
        server: SCRAM.Server,
        at now: UnixTime,
        lifetime: Duration
    ) {
        self.clientFirst = clientFirst
        self.lifetime = lifetime
        serverFirst = server.firstMessage
        content = TokenContent(time: now, texts: [message, serverFirst])
    }

    /// Reads the content of a token.
    init?(_ bytes: [UInt8], lifetime: Duration) {
        guard let content = TokenContent(bytes, textCount: 2),
            let clientFirst = try? SCRAM.ClientFirst(content.texts[0])
        else { return nil }
        self.content = content
        self.clientFirst = clientFirst
        self.lifetime = lifetime
        serverFirst = content.texts[1]
    }

    /// What the login of a user uses up: the nonce, of which the server's part is random.
    func use(of account: LoginAccount, nonce: String, at now: UnixTime) -> SingleUse {
        SingleUse(
            StoreKey("SCRAM nonce", nonce),
            of: account.name,
            // For processes whose clocks are behind: the token is valid there for longer.
            validFrom: content.time - LoginChallenge.tolerance,
            validUntil: content.time + lifetime + LoginChallenge.tolerance + .seconds(1),
            verifiedAt: now
        )
    }
}
