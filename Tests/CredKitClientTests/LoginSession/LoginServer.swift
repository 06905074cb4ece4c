// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Runs counting_login_server.py as a separate process.
final class LoginServer {
    struct Counts: Decodable {
        var logins: Int
        var data: Int
        var headers: [[[String]]]
        /// The SHA-256 of each body that was sent with PUT, in hex.
        var uploads: [String]
    }

    private(set) var port: Int
    private var peer: Peer?

    var url: String { "http://127.0.0.1:\(port)" }

    init() throws { (peer, port) = try Self.start(on: 0) }

    private static func start(on port: Int) throws -> (Peer?, Int) {
        let peer = try Peer("counting_login_server.py", ["\(port)"])
        return (peer, try XCTUnwrap(Int(String(decoding: peer.start, as: UTF8.self))))
    }

    /// Stops the server; later connections are refused.
    func stop() { peer = nil }

    /// Restarts the server on the same port, without any sessions.
    func start() throws { (peer, port) = try Self.start(on: port) }

    /// Sends an out-of-band request over a separate socket.
    @discardableResult
    func ask(_ path: String, method: String = "POST") throws -> Data {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        XCTAssertTrue(isConnected, "cannot connect to the login server")
        let handle = FileHandle(fileDescriptor: descriptor)
        try handle.write(
            contentsOf: Data("\(method) \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n".utf8)
        )
        let answer = try handle.readToEnd() ?? Data()
        XCTAssertTrue(answer.starts(with: Data("HTTP/1.1 200 ".utf8)))
        let end = try XCTUnwrap(answer.range(of: Data("\r\n\r\n".utf8)))
        return Data(answer[end.upperBound...])
    }

    var counts: Counts {
        get throws { try JSONDecoder().decode(Counts.self, from: try ask("/admin/counts", method: "GET")) }
    }
}
