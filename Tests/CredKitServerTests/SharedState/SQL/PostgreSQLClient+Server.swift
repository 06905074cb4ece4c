// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitTestSupport
import Foundation

extension PostgreSQLClient {
    /// The password of all roles of the tests.
    static let password = "of-the-tests"

    /// A client that logs in as a role over the Unix socket of a server.
    convenience init(_ server: PostgreSQLServer, role: String = "app", threadCount: Int = 4) throws {
        try self.init(folder: server.folder, port: server.port, role: role, threadCount: threadCount)
    }

    /// A client of the server whose Unix socket is in a folder.
    convenience init(folder: URL, port: Int, role: String = "app", threadCount: Int = 4) throws {
        var settings = PostgreSQLSettings(
            "host=\(folder.path) port=\(port) user=\(role) password=\(Self.password) dbname=postgres"
        )
        settings.threadCount = threadCount
        try self.init(settings)
    }
}

extension PostgreSQLServer {
    /// Creates a role that can log in.
    func createRole(_ name: String = "app") throws {
        try run("CREATE ROLE \(name) LOGIN PASSWORD '\(PostgreSQLClient.password)'")
    }
}
