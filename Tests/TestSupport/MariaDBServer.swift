// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A MariaDB server without data and rights, on a Unix socket. It ends with this object, or when the test process exits
/// for any reason.
public final class MariaDBServer {
    /// The folder with the data and the Unix socket `mariadb.sock`.
    public let folder: URL

    /// The command of a client of this server.
    public var client: [String] { ["mariadb", "--no-defaults", "--socket=\(folder.path)/mariadb.sock"] }

    /// A shell function `mariadb` that is this client.
    public var shellFunction: String {
        "mariadb() { command \(client.joined(separator: " ")) \"$@\"; }"
    }

    private static let program = "/usr/sbin/mariadbd"
    private var program: KeptProgram?

    /// Starts a server.
    ///
    /// - Throws: ``PostgreSQLServer/Failure`` if MariaDB is not installed, and what it said if it does not start.
    public init() throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw PostgreSQLServer.Failure(
                program: "mariadbd",
                errors: "not installed; run script/bootstrap test"
            )
        }
        folder = URL(filePath: "/tmp/credkit-mariadb-\(UUID().uuidString.prefix(8))")
        let data = folder.appending(component: "data")
        try FileManager.default.createDirectory(
            at: data,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        do {
            program = try KeptProgram(
                [
                    Self.program, "--no-defaults", "--user=root", "--skip-networking", "--skip-grant-tables",
                    "--datadir=\(data.path)", "--socket=\(folder.path)/mariadb.sock",
                    "--pid-file=\(folder.path)/pid",
                    "--innodb-flush-log-at-trx-commit=0",
                ],
                endedBy: "KILL",
                in: folder,
                readyAt: "ready for connections",
                failingAt: ["Aborting"]
            )
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    deinit {
        program = nil
        try? FileManager.default.removeItem(at: folder)
    }
}
