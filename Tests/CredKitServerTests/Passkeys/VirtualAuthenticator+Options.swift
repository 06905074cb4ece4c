// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTestSupport
import Testing

/// What a page passes to the browser.
struct BrowserOptions {
    let challenge: WebAuthn.Challenge
    /// The identifiers of the accepted or excluded passkeys.
    let identifiers: [[UInt8]]
    let userHandle: [UInt8]?
    let userVerification: String?

    init(_ options: PasskeyOptions) throws {
        let members = try #require(try StrictJSON(parsing: Array(options.json.utf8)).object)
        let text = try #require(members["challenge"]?.string)
        challenge = try WebAuthn.Challenge(
            bytes: Base64.urlSafe.unpadded.decode(text),
            expiry: UnixTime(1 << 40)
        )
        let list = (members["allowCredentials"] ?? members["excludeCredentials"])?.array ?? []
        identifiers = try list.map { element in
            let id = try #require(element.object?["id"]?.string)
            return try Base64.urlSafe.unpadded.decode(id)
        }
        userHandle = try members["user"]?.object?["id"]?.string.map {
            try Base64.urlSafe.unpadded.decode($0)
        }
        userVerification = members["userVerification"]?.string
    }
}

extension VirtualAuthenticator {
    /// Answers options for a login, in JSON as browsers write it.
    func answer(_ options: PasskeyOptions) throws -> [UInt8] {
        let assertion = PasskeyAssertion(
            relyingParty: try PasskeyServer.site(),
            challenge: try BrowserOptions(options).challenge
        )
        let response = try assert(assertion)
        var members = [
            ("clientDataJSON", response.clientDataJSON), ("authenticatorData", response.authenticatorData),
            ("signature", response.signature),
        ]
        if let handle = response.userHandle { members.append(("userHandle", handle)) }
        return Self.json(response.credentialID, members)
    }

    /// Answers options for a new passkey, for the user that they name.
    mutating func create(_ options: PasskeyOptions) throws -> [UInt8] {
        let asked = try BrowserOptions(options)
        let handle = try #require(asked.userHandle)
        userHandle = handle
        let registration = PasskeyRegistration(
            relyingParty: try PasskeyServer.site(),
            user: try WebAuthn.UserEntity(id: handle, name: "", displayName: ""),
            challenge: asked.challenge
        )
        let response = try register(registration)
        return Self.json(
            response.credentialID,
            [
                ("clientDataJSON", response.clientDataJSON),
                ("attestationObject", response.attestationObject),
            ],
            other: #","transports":["internal","x y"]"#
        )
    }

    private static func json(
        _ id: [UInt8],
        _ members: [(String, [UInt8])],
        other: String = ""
    ) -> [UInt8] {
        let id = Base64.urlSafe.unpadded.encode(id)
        let parts = members.map { name, bytes in #""\#(name)":"\#(Base64.urlSafe.unpadded.encode(bytes))""# }
        let response = parts.joined(separator: ",")
        let text = #"{"id":"\#(id)","rawId":"\#(id)","type":"public-key","clientExtensionResults":{},"#
        return Array((text + #""response":{\#(response)\#(other)}}"#).utf8)
    }
}
