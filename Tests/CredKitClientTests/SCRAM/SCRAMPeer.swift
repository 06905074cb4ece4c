// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

/// Runs `scram_server.py`, which frames scramp, over http and TLS.
struct SCRAMPeer {
    struct State: Decodable {
        /// How many requests without credentials there were, and with each message.
        let lists: Int
        let firsts: Int
        let finals: Int
        let logins: Int
        /// What clients said of channel binding.
        let flags: [String]
        /// Ticket, verifier and cookie of each request for another verifier.
        let verifiers: [[String]]
        /// The tokens of these requests.
        let tokens: [String]
        let codes: [String]
    }

    /// A setting of the server.
    enum Setting: Encodable {
        case text(String, String?)
        case number(String, Int)
        case list(String, [String])
        case flag(String)

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            switch self {
            case .text(let name, let value): try members.encode(value, forKey: Key(stringValue: name))
            case .number(let name, let value): try members.encode(value, forKey: Key(stringValue: name))
            case .list(let name, let value): try members.encode(value, forKey: Key(stringValue: name))
            case .flag(let name): try members.encode(true, forKey: Key(stringValue: name))
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Start: Decodable {
        let authority: String
        let ports: [String: UInt16]
    }

    private let peer: Peer
    private let start: Start

    init() throws {
        peer = try Peer("scram_server.py", python: TestScripts.python.path)
        start = try peer.started(as: Start.self)
    }

    /// The URL of a kind of port.
    func url(_ kind: String) throws -> String {
        let port = try XCTUnwrap(start.ports[kind])
        return kind == "plain" ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)"
    }

    /// How to connect through a proxy that forwards connections.
    var proxied: ConnectionSettings {
        get throws {
            var connection = connection
            let port = try XCTUnwrap(start.ports["proxy"])
            connection.proxy = .proxy(try Proxy(scheme: .http, host: "127.0.0.1", port: port))
            return connection
        }
    }

    /// How to connect to it.
    var connection: ConnectionSettings {
        var connection = ConnectionSettings()
        connection.trustedCertificates = .file(start.authority)
        connection.proxy = .none
        return connection
    }

    @discardableResult
    func set(_ settings: Setting...) throws -> State {
        for setting in settings { _ = try peer.ask(setting, as: State.self) }
        return try peer.ask([String: String](), as: State.self)
    }

    var state: State { get throws { try set() } }
}
