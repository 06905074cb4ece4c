// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// docs/operating.md: the commands run as printed, on other ports.
final class OperatingPageTests: XCTestCase {
    func testPagePrintsTheDocumentedOutput() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") else {
            throw XCTSkip("nginx is not installed")
        }
        var ports: [String: String] = [:]
        // Kept open until all are chosen, so that they differ.
        let sockets = ["8080", "8081", "8443", "9464", "6379"].map { port in
            let (socket, number) = Self.freePort()
            ports[port] = "\(number)"
            return socket
        }
        for socket in sockets { close(socket) }
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        ports["5432"] = "\(server.port)"
        ports["sudo -u postgres psql"] = "psql -h \(server.folder.path) -p \(server.port) -U postgres"
        let count = try DocumentedCommands.run(
            "docs/operating.md",
            programs: ["credkit", "credkit-server"],
            replacing: ports,
            endingWith: "kill $(cat pid pid-1 pid-2 redis-pid nginx.pid) 2> /dev/null"
        )
        XCTAssertGreaterThan(count, 15)
    }

    /// Returns a socket that is bound to a free port.
    private static func freePort() -> (socket: Int32, port: UInt16) {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(socket, address, size)
                _ = getsockname(socket, address, &size)
            }
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }
}
