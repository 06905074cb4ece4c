// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// What a user must do to confirm a login with another device, such as a phone
/// ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)): open ``verificationURI`` and enter ``userCode``.
///
/// Both come from the authorization server. Show them as they are, and tell the user to confirm only a login that they
/// have started themselves: an attacker who talks a user into entering a code is logged in as that user.
public struct DeviceAuthorization: Sendable {
    /// The code to enter: 1 to 64 printable ASCII characters.
    public let userCode: String

    /// The http or https URL of the page where the user enters the code, at most 2,048 characters.
    public let verificationURI: String

    /// The same URL with the code, for a QR code or a browser that the program opens; `nil` if there is none.
    public let verificationURIComplete: String?

    /// How long the code is valid: at most an hour.
    public let lifetime: Duration

    /// The secret code of the client.
    let deviceCode: SecretBytes
    /// How long to wait between two requests.
    let interval: Duration

    private struct Members: Decodable {
        var deviceCode: String?
        var userCode: String?
        var uri: String?
        var completeURI: String?
        var lifetime: Double?
        var interval: Double?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: JSONKey.self)
            func text(_ name: String) -> String? {
                try? members.decode(String.self, forKey: JSONKey(name))
            }
            func number(_ name: String) -> Double? {
                (try? members.decode(Double.self, forKey: JSONKey(name)))
                    ?? text(name).flatMap { UInt64($0) }.map { Double($0) }
            }
            deviceCode = text("device_code")
            userCode = text("user_code")
            // The second name is that of a draft, which large servers still use.
            uri = text("verification_uri") ?? text("verification_url")
            completeURI = text("verification_uri_complete")
            lifetime = number("expires_in")
            interval = number("interval")
        }
    }

    /// Reads the answer of a device authorization endpoint.
    init(_ head: HTTPResponse, _ body: [UInt8]) throws(ClientError) {
        try TokenError.check(head, body)
        let status = head.status.code
        let members = try JSONReading.read(Members.self, from: body[...], status: status)
        func malformed(_ name: String) -> ClientError {
            .malformedResponse("the answer of the authorization server has no valid \(name)", status: status)
        }
        guard let code = members.userCode, Self.isVisible(code, upTo: 64) else {
            throw malformed("user_code")
        }
        guard let uri = members.uri, Self.isURL(uri) else { throw malformed("verification_uri") }
        guard let lifetime = members.lifetime, lifetime >= 1 else { throw malformed("expires_in") }
        guard let deviceCode = members.deviceCode, Self.isVisible(deviceCode, upTo: 8192) else {
            throw malformed("device_code")
        }
        userCode = code
        verificationURI = uri
        verificationURIComplete = members.completeURI.flatMap { Self.isURL($0) ? $0 : nil }
        self.lifetime = .seconds(Int64(min(lifetime, 3600)))
        // 5 seconds is the default of RFC 8628. Less than one would only burden the server.
        interval = .seconds(Int64(min(max(members.interval ?? 5, 1), 60)))
        do throws(SecretMemoryError) {
            self.deviceCode = try SecretBytes(deviceCode)
        } catch {
            throw .outOfMemory
        }
    }

    private static func isVisible(_ text: String, upTo count: Int) -> Bool {
        (1...count).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func isURL(_ text: String) -> Bool {
        isVisible(text, upTo: 2048) && !text.utf8.contains(0x20) && (try? HTTPURL(text)) != nil
    }
}
