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
        var taken: [FreePort] = []
        for port in ["8080", "8081", "8082", "8443", "8444", "8445", "9464", "6379"] {
            taken.append(try FreePort())
            ports[port] = taken.last.map { "\($0.number)" }
        }
        taken = []
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        ports["5432"] = "\(server.port)"
        ports["sudo -u postgres psql"] = "psql -h \(server.folder.path) -p \(server.port) -U postgres"
        let count = try DocumentedCommands.run(
            "docs/operating.md",
            programs: ["credkit", "credkit-server"],
            replacing: ports,
            endingWith: "kill $(cat pid pid-1 pid-2 site-pid redis-pid nginx.pid site-nginx.pid) 2> /dev/null"
        )
        XCTAssertGreaterThan(count, 15)
    }
}
