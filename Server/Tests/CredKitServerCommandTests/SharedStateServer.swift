// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation

/// A server that keeps the shared state of login servers in a test.
enum SharedStateServer {
    case redis(RedisServer)
    case postgreSQL(PostgreSQLServer)

    /// The kinds, by their names.
    static let kinds = ["Redis", "PostgreSQL"]

    /// The password of PostgreSQL's role.
    private static let password = "of-the-tests"

    /// Starts a server, and writes the files that its options name into the folder of a shell.
    init(_ kind: String, _ shell: Shell) throws {
        let outcome = try shell.run(
            "umask 077; head -c 32 /dev/urandom > state-key; printf \(Self.password) > state-password"
        )
        guard outcome.status == 0 else {
            throw PostgreSQLServer.Failure(program: "sh", errors: outcome.errors)
        }
        guard kind == "PostgreSQL" else {
            self = .redis(try RedisServer())
            return
        }
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        self = .postgreSQL(server)
        try server.run("CREATE ROLE app LOGIN PASSWORD '\(Self.password)'")
        let schema = try shell.run("credkit-server schema --role app")
        guard schema.status == 0 else {
            throw PostgreSQLServer.Failure(program: "credkit-server", errors: schema.errors)
        }
        try server.run(schema.text)
    }

    /// The options of the login servers.
    var options: String {
        switch self {
        case .redis(let server): "--state redis://127.0.0.1:\(server.port) --state-key-file state-key"
        case .postgreSQL(let server):
            "--state postgresql://app@127.0.0.1:\(server.port)/postgres --state-key-file state-key "
                + "--state-password-file state-password"
        }
    }

    /// Makes the present history begin long ago, as if the server had run since then.
    func beginLongAgo() throws {
        switch self {
        case .redis(let server): try server.command("HSET", "{credkit}:epoch", "since", "1")
        case .postgreSQL(let server):
            try server.run("INSERT INTO credkit.epoch (history, since) VALUES (credkit.history(), 1)")
        }
    }

    /// A list in Python of the processes of the server.
    var processes: String {
        switch self {
        case .redis(let server): "[\(server.processID)]"
        case .postgreSQL(let server):
            "(lambda pid: [pid] + [int(child) for child in open(f'/proc/{pid}/task/{pid}/children').read().split()])"
                + "(int(open('\(server.folder.path)/data/postmaster.pid').readline()))"
        }
    }
}
