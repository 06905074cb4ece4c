// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import Testing

@testable import CredKitCommand

/// Which way to log in is taken from the offers of a server.
@Suite struct OfferedMechanismTests {
    private func choose(
        _ server: String = "https://school.example",
        clientID: String? = nil,
        hasUser: Bool = false,
        allowsInsecureHTTP: Bool = false,
        _ change: (inout LoginOffers) -> Void
    ) throws -> OfferedMechanism.Choice? {
        var offers = LoginOffers()
        change(&offers)
        return OfferedMechanism.choose(
            offers,
            of: try HTTPURL(server),
            clientID: clientID,
            hasUser: hasUser,
            allowsInsecureHTTP: allowsInsecureHTTP
        )
    }

    @Test func scramIsTheStrongest() throws {
        let choice = try choose {
            $0.scram = .sha512
            $0.basic = true
            $0.bearer = true
            $0.issuers = ["https://school.example"]
        }
        #expect(choice == .scram(.scram(hashFunction: .sha512)))
    }

    @Test func oauthNeedsAClientAndTheServerItself() throws {
        let own = "https://school.example/realm"
        #expect(try choose(clientID: "desktop") { $0.issuers = [own] } == .oauth(issuer: own))
        #expect(try choose { $0.issuers = [own] } == nil)
        // Another server would get tokens because this one says so: the user has to name it.
        #expect(try choose(clientID: "desktop") { $0.issuers = ["https://other.example"] } == nil)
        #expect(try choose(clientID: "desktop") { $0.issuers = [own, "https://school.example/b"] } == nil)
        #expect(try choose(clientID: "desktop") { $0.scram = .sha256 } == nil)
        #expect(try choose(clientID: "desktop") { $0.bearer = true } == nil)
    }

    @Test func onlyOneSecretIsPossible() throws {
        #expect(try choose { $0.bearer = true } == .bearer)
        #expect(try choose { $0.basic = true } == .basic)
        #expect(try choose { $0.form = true } == .form)
        #expect(
            try choose {
                $0.bearer = true
                $0.basic = true
            } == nil
        )
        #expect(
            try choose {
                $0.form = true
                $0.timestamped = true
            } == nil
        )
        #expect(try choose { $0.timestamped = true } == nil)
        #expect(try choose { $0.unsupported = ["Digest"] } == nil)
    }

    @Test func passwordIsNoToken() throws {
        #expect(try choose(hasUser: true) { $0.bearer = true } == nil)
        #expect(try choose(hasUser: true) { $0.basic = true } == .basic)
        #expect(try choose(hasUser: true) { $0.form = true } == .form)
    }

    @Test func earlierLoginIsNotWeakened() {
        let mechanisms = ["scram", "timestamped", "form", "basic", "bearer", "oauth"]
        let choices: [(OfferedMechanism.Choice, [String])] = [
            (.form, ["form"]), (.basic, ["basic"]), (.bearer, ["bearer"]), (.scram(.scram()), mechanisms),
            (.oauth(issuer: "https://school.example"), mechanisms),
        ]
        for (choice, earlier) in choices {
            #expect(mechanisms.filter(choice.isAsStrong) == earlier, "\(choice)")
        }
    }

    @Test func passwordIsNotSentUnencryptedBecauseAServerWantsIt() throws {
        for change in [{ $0.basic = true }, { $0.form = true }] as [(inout LoginOffers) -> Void] {
            #expect(try choose("http://school.example", allowsInsecureHTTP: true, change) == nil)
            #expect(try choose("https://school.example", allowsInsecureHTTP: true, change) != nil)
        }
        #expect(
            try choose("http://school.example", allowsInsecureHTTP: true) { $0.scram = .sha256 }
                == .scram(.scram())
        )
    }
}
