// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import FoundationEssentials

/// A message between docker and a credential helper. It is JSON, and passes through ordinary, unprotected memory.
struct DockerCredential {
    // docker compares these messages word for word: see credentials/error.go of docker-credential-helpers.
    static let notFound = CommandFailure(.no, "credentials not found in native keychain")
    static let noServerURL = CommandFailure(.no, "no credentials server URL")
    static let noUsername = CommandFailure(.no, "no credentials username")
    // Not one of docker's messages.
    static let lineBreak = CommandFailure(
        .no,
        "a server URL or user name must not contain a line feed, a carriage return or a NUL"
    )

    let serverURL: String
    let username: String
    let secret: SecretBytes

    private struct JSON: Codable {
        var serverURL: String?
        var username: String?
        var secret: String?

        enum CodingKeys: String, CodingKey {
            case serverURL = "ServerURL"
            case username = "Username"
            case secret = "Secret"
        }
    }

    init(serverURL: String, username: String, secret: SecretBytes) {
        (self.serverURL, self.username, self.secret) = (serverURL, username, secret)
    }

    init(json: SecretBytes) throws {
        guard let value = try? JSONDecoder().decode(JSON.self, from: Data(json.heapCopy)) else {
            // The decoder's own message could show a part of the secret.
            throw CommandFailure(.no, "the input is not a JSON object with ServerURL, Username and Secret")
        }
        guard let serverURL = value.serverURL, !serverURL.isEmpty else { throw Self.noServerURL }
        guard let username = value.username, !username.isEmpty else { throw Self.noUsername }
        guard !Self.hasLineBreak(serverURL), !Self.hasLineBreak(username) else { throw Self.lineBreak }
        self.init(serverURL: serverURL, username: username, secret: try SecretBytes(value.secret ?? ""))
    }

    /// Whether a text has a character that protocols of lines cannot transmit. `get` reads the server's URL as lines.
    static func hasLineBreak(_ text: String) -> Bool {
        text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    }

    var json: [UInt8] {
        get throws {
            guard let secret = String(validating: secret.heapCopy, as: UTF8.self) else {
                throw CommandFailure(.no, "the secret is not UTF-8, which docker's JSON requires")
            }
            return try JSONLine(encoding: JSON(serverURL: serverURL, username: username, secret: secret))
                .bytes
        }
    }
}
