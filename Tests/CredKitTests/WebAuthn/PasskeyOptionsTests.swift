// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Foundation
import Testing

/// Options for the browser.
@Suite struct PasskeyOptionsTests {
    /// The same JSON with sorted members, so that two texts can be compared.
    private func sorted(_ json: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        return String(decoding: data, as: UTF8.self)
    }

    @Test func creationOptionsAreThoseOfTheRecommendation() throws {
        let registration = PasskeyRegistration(
            relyingParty: try PasskeyScene.site(),
            user: try WebAuthn.UserEntity(
                id: [0xFB, 0xFF],
                name: #"</script>"\"#,
                displayName: "Ä\u{0}\u{2028}"
            ),
            challenge: try PasskeyScene.challenge(),
            excludedCredentials: [
                WebAuthn.CredentialDescriptor(id: [1], transports: ["usb"]),
                WebAuthn.CredentialDescriptor(id: [2]),
            ],
            hints: [.clientDevice, .hybrid]
        )
        let json = registration.optionsJSON(at: PasskeyScene.time)
        #expect(!json.utf8.contains(UInt8(ascii: "<")) && json.utf8.allSatisfy { $0 >= 0x20 })
        let expected = #"""
            {"rp":{"id":"example.org","name":"Example"},
            "user":{"id":"-_8","name":"<\/script>\"\\","displayName":"Ä\u0000\u2028"},
            "challenge":"ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1-f4CBgoM",
            "pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-8},
            {"type":"public-key","alg":-257}],
            "timeout":300000,
            "excludeCredentials":[{"type":"public-key","id":"AQ","transports":["usb"]},
            {"type":"public-key","id":"Ag"}],
            "authenticatorSelection":{"residentKey":"required","requireResidentKey":true,
            "userVerification":"required"},
            "hints":["client-device","hybrid"],"attestation":"none"}
            """#
        #expect(try sorted(json) == sorted(expected))
    }

    @Test func requestOptionsAreThoseOfTheRecommendation() throws {
        let assertion = try PasskeyScene.assertion(.preferred, allowing: [[1]])
        let expected = #"""
            {"rpId":"example.org","challenge":"ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1-f4CBgoM","timeout":299000,
            "allowCredentials":[{"type":"public-key","id":"AQ"}],"userVerification":"preferred","hints":[]}
            """#
        let json = assertion.optionsJSON(at: PasskeyScene.time + .seconds(1))
        #expect(try sorted(json) == sorted(expected))
        let late = assertion.optionsJSON(at: PasskeyScene.time + .seconds(900))
        #expect(late.contains(#""timeout":1,"#))
    }

    @Test func challengesAreRandomAndLongEnough() throws {
        let challenges = (0..<100).map { _ in WebAuthn.Challenge.random(expiry: PasskeyScene.time) }
        #expect(Set(challenges.map(\.bytes)).count == 100)
        #expect(challenges.allSatisfy { $0.bytes.count == 32 })
        for count in [0, 15, 1_025] {
            #expect(throws: WebAuthn.Error.invalidArgument) {
                try WebAuthn.Challenge(bytes: [UInt8](repeating: 0, count: count), expiry: PasskeyScene.time)
            }
        }
    }

    @Test func userHandlesHaveTheirLength() throws {
        for count in [0, 65] {
            #expect(throws: WebAuthn.Error.invalidArgument) {
                try WebAuthn.UserEntity(id: [UInt8](repeating: 0, count: count), name: "a", displayName: "")
            }
        }
    }

    @Test(arguments: [
        ("example.org", "https://example.org"), ("example.org", "https://a.b.example.org:8443"),
        ("localhost", "http://localhost"), ("localhost", "http://localhost:8080"),
        ("localhost", "https://app.localhost"), ("xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("intranet", "https://intranet"), ("1.example", "https://1.example:1"),
    ])
    func sitesAreAccepted(_ id: String, _ origin: String) throws {
        #expect(try WebAuthn.RelyingParty(id: id, name: "", origins: [origin]).origins == [origin])
    }

    @Test(arguments: [
        ("Example.org", "https://example.org"), ("", "https://"), ("example.org.", "https://example.org."),
        (".example.org", "https://.example.org"), ("a..b", "https://a..b"),
        ("192.0.2.1", "https://192.0.2.1"),
        ("1", "https://1"), ("a.0x7f", "https://a.0x7f"), ("[::1]", "https://[::1]"),
        ("-a.b", "https://-a.b"),
        ("a_b.c", "https://a_b.c"), ("bücher.example", "https://bücher.example"),
        ("example.org", "http://example.org"), ("example.org", "https://example.org/"),
        ("example.org", "https://example.org:443"), ("example.org", "https://example.org:0443"),
        ("example.org", "https://example.org:65536"), ("example.org", "https://example.org:"),
        ("example.org", "https://evilexample.org"), ("example.org", "https://example.com"),
        ("example.org", "https://org"), ("example.org", "HTTPS://example.org"),
        ("example.org", "example.org"),
        ("example.org", "https://user@example.org"), ("localhost", "http://localhost:80"),
        ("example.org", "android:apk-key-hash:AAAA"),
    ])
    func otherSitesAreRefused(_ id: String, _ origin: String) {
        #expect(throws: WebAuthn.Error.invalidArgument) {
            try WebAuthn.RelyingParty(id: id, name: "", origins: [origin])
        }
    }

    @Test func siteNeedsAnOrigin() {
        #expect(throws: WebAuthn.Error.invalidArgument) {
            try WebAuthn.RelyingParty(id: "example.org", name: "", origins: [])
        }
    }
}
