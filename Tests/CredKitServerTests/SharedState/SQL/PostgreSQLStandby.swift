// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestServers
import Foundation

/// A streaming, asynchronous standby of a server, in the server's folder.
final class PostgreSQLStandby {
    private let primary: PostgreSQLServer
    private let programs: String
    private let process = Process()
    private let lifeline = Pipe()
    private let senders: [Int32]

    /// The folder with the Unix socket.
    let folder: URL

    init(of primary: PostgreSQLServer) throws {
        self.primary = primary
        programs = try primary.run("SELECT setting FROM pg_config() WHERE name = 'BINDIR'")[0][0]
        folder = primary.folder.appending(component: "standby")
        let rules = try FileHandle(forWritingTo: primary.folder.appending(path: "data/pg_hba.conf"))
        try rules.seekToEnd()
        try rules.write(contentsOf: Data("local replication all trust\n".utf8))
        try rules.close()
        try primary.run("SELECT pg_reload_conf()")
        let script = """
            mkdir -m 700 standby && \(programs)/pg_basebackup -h "$PWD" -p \(primary.port) -U postgres \
              -D standby/data -R -X stream -c fast --no-sync >&2 || exit 1
            \(programs)/postgres -D standby/data -p \(primary.port) -c listen_addresses= \
              -c unix_socket_directories="$PWD/standby" -c fsync=on -c shared_buffers=16MB </dev/null >&2 &
            server=$!; read -r _; kill -QUIT $server; wait $server
            """
        process.executableURL = URL(filePath: "/usr/bin/env")
        let user =
            getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : []
        process.arguments = ["--default-signal"] + user + ["sh", "-c", script]
        process.currentDirectoryURL = primary.folder
        _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.standardInput = lifeline
        process.standardError = FileHandle.nullDevice
        try process.run()
        let streaming = """
            SELECT pid FROM pg_stat_replication WHERE state = 'streaming' AND application_name = 'walreceiver'
            """
        let end = Date(timeIntervalSinceNow: 60)
        var found: [Int32] = []
        while found.isEmpty, Date() < end {
            usleep(20_000)
            found = try primary.run(streaming).compactMap { Int32($0[0]) }
        }
        senders = found
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Waits until the standby has everything that is committed so far, and nothing of what is committed later.
    func fallBehind() throws {
        let query = """
            SELECT count(*) FROM pg_stat_replication WHERE application_name = 'walreceiver'
              AND replay_lsn >= pg_current_wal_flush_lsn()
            """
        let end = Date(timeIntervalSinceNow: 20)
        while try primary.run(query)[0][0] == "0", Date() < end { usleep(5000) }
        for sender in senders { kill(sender, SIGSTOP) }
    }

    /// Kills the primary with SIGKILL, and promotes the standby.
    func failOver() throws {
        let text = try String(
            contentsOf: primary.folder.appending(path: "data/postmaster.pid"),
            encoding: .utf8
        )
        if let number = text.split(separator: "\n").first.flatMap({ Int32($0) }), number > 1 {
            kill(number, SIGKILL)
        }
        for sender in senders { kill(sender, SIGKILL) }
        try run("SELECT pg_promote(true, 60)")
    }

    /// Runs SQL as the superuser.
    func run(_ sql: String) throws {
        let psql = Process()
        psql.executableURL = URL(filePath: "\(programs)/psql")
        psql.arguments = [
            "-X", "-q", "-h", folder.path, "-p", "\(primary.port)", "-U", "postgres", "-c", sql,
        ]
        psql.standardOutput = FileHandle.nullDevice
        try psql.run()
        psql.waitUntilExit()
        guard psql.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
    }
}
