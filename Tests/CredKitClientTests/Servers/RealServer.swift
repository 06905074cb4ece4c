// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// A server that is not part of CredKit, on a free port of 127.0.0.1. It ends with this object.
final class RealServer: Sendable {
    private struct Start: Encodable {
        var words: [String]
        var files: [String: String]
    }

    private let peer: Peer

    /// The URL of the server.
    let url: String

    /// The URL of the server behind a front that can cut connections; see ``cut(after:)``.
    let cuttableURL: String

    /// Starts a server with a command line and configuration files, by their paths, and waits until it listens. In all
    /// texts, PORT stands for its port.
    init(_ words: [String], files: [String: String] = [:]) throws {
        let start = try JSONEncoder().encode(Start(words: words, files: files))
        let text = String(decoding: start, as: UTF8.self)
        peer = try Peer("real_server.py", [text], python: TestScripts.python.path)
        let ports = try peer.started(as: [String: Int].self)
        url = "http://127.0.0.1:\(try XCTUnwrap(ports["port"]))"
        cuttableURL = "http://127.0.0.1:\(try XCTUnwrap(ports["front"]))"
    }

    /// Starts a server in Python, one of the tests' programs.
    convenience init(python script: String, _ arguments: [String] = []) throws {
        try self.init([TestScripts.python.path, TestScripts.path(script), "PORT"] + arguments)
    }

    /// Closes the connections of ``cuttableURL``, and the next one after this number of bytes from the server.
    func cut(after byteCount: Int) throws { _ = try peer.ask(["cut": byteCount], as: Bool.self) }

    /// Ends the server. Nothing listens on its port then.
    func end() throws { _ = try peer.ask(["end": 1], as: Bool.self) }
}
