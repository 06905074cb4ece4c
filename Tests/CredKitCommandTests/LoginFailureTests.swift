// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitKeychain
import CredKitTerminal
import Testing

@testable import CredKitCommand

/// What a login that the server rejects tells.
@Suite struct LoginFailureTests {
    /// Returns what is shown after a server's message.
    private func shown(_ text: String) throws -> String? {
        let error = ClientError(.invalidCredentials, message: "rejected", serverMessage: text)
        return CommandFailure(ofLogin: error, as: "alice", secret: try SecretBytes("Hunter2+")).message
    }

    @Test func messageIsShownUnlessItRepeatsASecret() throws {
        #expect(try shown("unknown user") == "rejected: the server says 'unknown user'")
        for text in [
            "", "not hunter2+", "not unter", "not SHVudGVyMis=", "not 48756E746572322B", "not Hunter2%2B",
            // It may be a token or a proof.
            "not 0123456789abcdefghijklmn", String(repeating: " ", count: 190) + "0123456789abcdefghijklmn",
        ] {
            #expect(try shown(text) == "rejected", "\(text)")
        }
    }

    @Test func messageIsCut() throws {
        let accents = "a" + String(repeating: "\u{301}", count: 5000)
        let text = try #require(try shown(accents))
        #expect(text.unicodeScalars.count < 2000)
    }

    /// Nothing was sent while another program held the lock.
    @Test func lockIsNoAcceptedLogin() {
        let busy = KeychainError(.busy, message: "another program holds it: try again")
        let error = ClientError(.keychain, message: busy.message, underlying: busy)
        let failure = CommandFailure(ofLogin: error, as: "alice", secret: nil)
        #expect(failure.status == .tryAgain)
        #expect(
            failure.message
                == "the login of alice was not completed: another program holds it: try again"
        )
        let unsaved = CommandFailure(
            ofLogin: ClientError(.storage, message: "disk full"),
            as: "alice",
            secret: nil
        )
        #expect(
            unsaved.message
                == "the server accepted alice, but the session cannot be saved: disk full"
        )
    }
}
