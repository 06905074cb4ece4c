// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A pgbouncer with `pool_mode=transaction` before a PostgreSQL server, on a Unix socket. It ends with this object, or when the test
/// process exits for any reason.
public final class PgBouncer {
    /// The folder with the Unix socket.
    public let folder: URL

    private let program: KeptProgram

    /// Starts a pgbouncer.
    ///
    /// - Parameters:
    ///   - server: The server. The socket's port is the server's.
    ///   - roles: The names of the roles that may log in.
    ///   - password: The password of each of them.
    /// - Throws: ``PostgreSQLServer/Failure`` if it is not installed or does not start.
    public init(_ server: PostgreSQLServer, roles: [String], password: String) throws {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let program else {
            throw PostgreSQLServer.Failure(
                program: "pgbouncer",
                errors: "not installed; run script/bootstrap test"
            )
        }
        folder = server.folder.appending(component: "pgbouncer-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let settings = """
            [databases]
            postgres = host=\(server.folder.path) port=\(server.port) dbname=postgres
            [pgbouncer]
            listen_port = \(server.port)
            unix_socket_dir = \(folder.path)
            auth_type = scram-sha-256
            auth_file = \(folder.path)/users
            pool_mode = transaction
            server_login_retry = 1
            """
        try Data(settings.utf8).write(to: folder.appending(component: "settings"))
        let users = roles.map { "\"\($0)\" \"\(password)\"\n" }.joined()
        try Data(users.utf8).write(to: folder.appending(component: "users"))
        // The folder of the server cannot be entered by others.
        chmod(folder.path, 0o777)
        do {
            self.program = try KeptProgram(
                [program, folder.appending(component: "settings").path],
                // Since 1.23 it waits for its clients at a TERM.
                endedBy: "KILL",
                in: folder,
                through: PostgreSQLServer.unprivileged,
                readyAt: "process up"
            )
        } catch let error as KeptProgram.NotReady {
            throw PostgreSQLServer.Failure(program: "pgbouncer", errors: error.output)
        }
    }
}
