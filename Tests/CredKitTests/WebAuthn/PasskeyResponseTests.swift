// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Foundation
import Testing

/// Responses as JSON.
@Suite struct PasskeyResponseTests {
    private static let registration = """
        {"id":"AQID","rawId":"AQID","type":"public-key","authenticatorAttachment":"platform",
        "clientExtensionResults":{"credProps":{"rk":true}},
        "response":{"clientDataJSON":"e30","attestationObject":"oA","transports":["internal","new-word"],
        "publicKey":"AA","publicKeyAlgorithm":-7,"authenticatorData":"AA"}}
        """
    private static let assertion = """
        {"id":"AQID","rawId":"AQID","type":"public-key","clientExtensionResults":{},
        "response":{"clientDataJSON":"e30","authenticatorData":"AAE","signature":"_-8","userHandle":"aGk"}}
        """

    @Test func registrationIsRead() throws {
        let response = try PasskeyRegistration.Response(json: Self.registration.utf8)
        let expected = try PasskeyRegistration.Response(
            credentialID: [1, 2, 3],
            clientDataJSON: Array("{}".utf8),
            attestationObject: [0xA0],
            transports: ["internal", "new-word"],
            authenticatorAttachment: "platform"
        )
        #expect(response == expected)
    }

    @Test func assertionIsRead() throws {
        let response = try PasskeyAssertion.Response(json: Self.assertion.utf8)
        let expected = try PasskeyAssertion.Response(
            credentialID: [1, 2, 3],
            clientDataJSON: Array("{}".utf8),
            authenticatorData: [0, 1],
            signature: [0xFF, 0xEF],
            userHandle: Array("hi".utf8)
        )
        #expect(response == expected)
    }

    @Test func absentMembersAreOptional() throws {
        for handle in [#","userHandle":null"#, #","userHandle":"""#, ""] {
            let json = Self.assertion.replacing(#","userHandle":"aGk""#, with: handle)
            #expect(try PasskeyAssertion.Response(json: json.utf8).userHandle == nil, "\(handle)")
        }
        let json = Self.registration.replacing(#""transports":["internal","new-word"],"#, with: "")
            .replacing(#""authenticatorAttachment":"platform","#, with: "")
            .replacing(#""clientExtensionResults":{"credProps":{"rk":true}},"#, with: "")
        let response = try PasskeyRegistration.Response(json: json.utf8)
        #expect(response.transports.isEmpty && response.authenticatorAttachment == nil)
    }

    private static func zeros(_ count: Int) -> String {
        Base64.urlSafe.unpadded.encode([UInt8](repeating: 0, count: count))
    }

    struct Damage: Sendable {
        let from, to: String
        let error: WebAuthn.Error
    }

    @Test(arguments: PasskeyResponseTests.damages)
    func damagedAssertionIsRefused(_ damage: Damage) throws {
        let json = Self.assertion.replacing(damage.from, with: damage.to, maxReplacements: 1)
        #expect(json != Self.assertion)
        #expect(throws: damage.error) { try PasskeyAssertion.Response(json: json.utf8) }
    }

    static let damages: [Damage] = [
        Damage(from: "{", to: "[", error: .malformedResponse),
        Damage(from: "public-key", to: "password", error: .malformedResponse),
        Damage(from: #""type":"public-key","#, to: "", error: .malformedResponse),
        Damage(from: #""id":"AQID","#, to: "", error: .malformedResponse),
        Damage(from: #""id":"AQID""#, to: #""id":"AQIE""#, error: .credentialIDMismatch),
        Damage(from: #""rawId":"AQID""#, to: #""rawId":"AQIDBA""#, error: .credentialIDMismatch),
        Damage(from: #""rawId":"AQID""#, to: #""rawId":[1,2,3]"#, error: .malformedResponse),
        Damage(from: #""rawId""#, to: #""id":"AQID","rawId""#, error: .malformedResponse),
        Damage(from: #""response":"#, to: #""answer":"#, error: .malformedResponse),
        Damage(from: #""clientDataJSON":"e30","#, to: "", error: .malformedResponse),
        Damage(from: "AAE", to: "AAE=", error: .malformedResponse),
        Damage(from: "AAE", to: "AAF", error: .malformedResponse),
        Damage(from: "AAE", to: "A A", error: .malformedResponse),
        Damage(from: "_-8", to: "/+8", error: .malformedResponse),
        Damage(from: #""_-8""#, to: "null", error: .malformedResponse),
        Damage(from: #""aGk""#, to: "7", error: .malformedResponse),
        Damage(from: "{}", to: "[]", error: .malformedResponse),
        Damage(
            from: #""type""#,
            to: #""authenticatorAttachment":true,"type""#,
            error: .malformedResponse
        ),
        Damage(
            from: "aGk",
            to: zeros(65),
            error: .overLimit
        ),
        Damage(
            from: "_-8",
            to: zeros(1_025),
            error: .overLimit
        ),
        Damage(
            from: "AAE",
            to: zeros(4_097),
            error: .overLimit
        ),
        Damage(
            from: "e30",
            to: zeros(4_097),
            error: .overLimit
        ),
        Damage(from: "{}", to: "{}\(String(repeating: " ", count: 16_384))", error: .overLimit),
    ]

    @Test func lengthOfIdentifiersIsLimited() throws {
        for count in [0, 1_024] {
            let id = Base64.urlSafe.unpadded.encode([UInt8](repeating: 7, count: count))
            let json = Self.assertion.replacing("AQID", with: id)
            #expect(throws: WebAuthn.Error.invalidCredentialID) {
                try PasskeyAssertion.Response(json: json.utf8)
            }
        }
    }

    @Test func transportsAreLimited() throws {
        let words = #"["internal","new-word"]"#
        for (list, error) in [
            ("[1]", .malformedResponse), (#""usb""#, .malformedResponse), (#"[""]"#, .overLimit),
            ("[" + Array(repeating: #""usb""#, count: 17).joined(separator: ",") + "]", .overLimit),
            ("[\"" + String(repeating: "a", count: 33) + "\"]", .overLimit),
        ] as [(String, WebAuthn.Error)] {
            let json = Self.registration.replacing(words, with: list)
            #expect(throws: error, "\(list)") { try PasskeyRegistration.Response(json: json.utf8) }
        }
    }

    @Test func bytesThatAreNotUTF8AreRefused() throws {
        let start = String(Self.assertion.dropLast()) + #","x":""#
        let end = #""}"#
        for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            var json = Array(start.utf8)
            json += bytes
            json += Array(end.utf8)
            #expect(throws: WebAuthn.Error.malformedResponse) { try PasskeyAssertion.Response(json: json) }
        }
        _ = try PasskeyAssertion.Response(json: (start + end).utf8)
    }
}
