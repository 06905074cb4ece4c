// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Runs `oauth_server.py`, an authorization server that is not part of CredKit.
struct OAuthServer {
    /// What it has seen.
    struct State: Decodable {
        struct Request: Decodable {
            let method: String
            let target: String
            let headers: [String: String]
            let body: String

            init(from decoder: any Decoder) throws {
                var parts = try decoder.unkeyedContainer()
                method = try parts.decode(String.self)
                target = try parts.decode(String.self)
                headers = try parts.decode([String: String].self)
                body = try parts.decode(String.self)
            }
        }

        /// How many refresh tokens were accepted.
        let refreshes: Int
        /// How often one came that had been replaced.
        let reused: Int
        let revoked: [String]
        /// The refresh tokens that would be accepted.
        let valid: [String]
        /// How many token requests are being answered.
        let held: Int
        /// The codes that users have not entered yet.
        let codes: [String]
        let requests: [Request]
    }

    private enum Command: Encodable {
        case text(String, String)
        case flag(String, Bool)
        case approve(String, user: String)

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            switch self {
            case .text(let name, let value): try members.encode(value, forKey: Key(stringValue: name))
            case .flag(let name, let value): try members.encode(value, forKey: Key(stringValue: name))
            case .approve(let code, let user):
                try members.encode(code, forKey: Key(stringValue: "approve"))
                try members.encode(user, forKey: Key(stringValue: "user"))
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let peer: Peer
    let url: String

    init() throws {
        peer = try Peer("oauth_server.py", python: TestScripts.python.path)
        url = "http://127.0.0.1:\(try XCTUnwrap(try peer.started(as: [String: Int].self)["port"]))"
    }

    var state: State { get throws { try peer.ask(Command.flag("state", true), as: State.self) } }

    /// Returns a refresh token of a new login.
    func grant(_ user: String) throws -> String { try peer.ask(Command.text("grant", user), as: String.self) }

    /// Forgets all access tokens.
    func expire() throws { _ = try peer.ask(Command.flag("expire", true), as: Bool.self) }

    /// Whether answers of the token endpoint wait after their work.
    func hold(_ isHeld: Bool) throws { _ = try peer.ask(Command.flag("hold", isHeld), as: Bool.self) }

    /// Confirms a login with another device.
    func approve(_ code: String, user: String) throws {
        _ = try peer.ask(Command.approve(code, user: user), as: Bool.self)
    }

    /// Refuses a login with another device.
    func deny(_ code: String) throws { _ = try peer.ask(Command.text("deny", code), as: Bool.self) }

    /// Breaks one of the rules that `oauth_server.py` lists, from now on.
    func fault(_ name: String) throws { _ = try peer.ask(Command.text("fault", name), as: Bool.self) }

    /// Whether the authorization endpoint shows a page, at which the user does nothing.
    func showPage(_ isShown: Bool) throws { _ = try peer.ask(Command.flag("page", isShown), as: Bool.self) }

    /// The URLs that the authorization endpoint has sent the browser to.
    func answers() throws -> [String] { try peer.ask(Command.flag("answers", true), as: [String].self) }
}
