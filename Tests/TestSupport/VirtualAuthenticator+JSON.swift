// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension VirtualAuthenticator {
    private struct NoOptions: Error {}

    /// Creates the passkey that options ask for, for the user that they name.
    ///
    /// - Parameter options: The options, as JSON.
    /// - Returns: The response of the browser, as JSON.
    /// - Throws: If the options cannot be read.
    public mutating func creating(_ options: String) throws -> String {
        let (challenge, members) = try Self.read(options)
        guard let text = members["user"]?.object?["id"]?.string else { throw NoOptions() }
        let handle = try Base64.urlSafe.unpadded.decode(text)
        userHandle = handle
        let response = try register(
            PasskeyRegistration(
                relyingParty: try relyingParty(),
                user: try WebAuthn.UserEntity(id: handle, name: "", displayName: ""),
                challenge: challenge
            )
        )
        return Self.json(
            response.credentialID,
            [
                ("clientDataJSON", response.clientDataJSON),
                ("attestationObject", response.attestationObject),
            ]
        )
    }

    /// Answers options for a login.
    ///
    /// - Parameter options: The options, as JSON.
    /// - Returns: The response of the browser, as JSON.
    /// - Throws: If the options cannot be read.
    public func answering(_ options: String) throws -> String {
        let challenge = try Self.read(options).challenge
        let response = try assert(
            PasskeyAssertion(relyingParty: try relyingParty(), challenge: challenge)
        )
        var members = [
            ("clientDataJSON", response.clientDataJSON), ("authenticatorData", response.authenticatorData),
            ("signature", response.signature),
        ]
        if let handle = response.userHandle { members.append(("userHandle", handle)) }
        return Self.json(response.credentialID, members)
    }

    /// Any site: the response depends on the challenge alone.
    private func relyingParty() throws -> WebAuthn.RelyingParty {
        try WebAuthn.RelyingParty(id: "example.org", name: "", origins: ["https://example.org"])
    }

    private static func read(
        _ options: String
    ) throws -> (challenge: WebAuthn.Challenge, members: [String: StrictJSON]) {
        guard let members = try StrictJSON(parsing: Array(options.utf8)).object,
            let text = members["challenge"]?.string
        else { throw NoOptions() }
        let bytes = try Base64.urlSafe.unpadded.decode(text)
        return (try WebAuthn.Challenge(bytes: bytes, expiry: UnixTime(1 << 40)), members)
    }

    private static func json(_ id: [UInt8], _ members: [(String, [UInt8])]) -> String {
        let id = Base64.urlSafe.unpadded.encode(id)
        let parts = members.map { name, bytes in #""\#(name)":"\#(Base64.urlSafe.unpadded.encode(bytes))""# }
        let response = parts.joined(separator: ",")
        return #"{"id":"\#(id)","rawId":"\#(id)","type":"public-key","response":{\#(response)}}"#
    }
}
