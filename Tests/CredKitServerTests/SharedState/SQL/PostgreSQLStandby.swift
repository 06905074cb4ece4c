// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation

/// A streaming, asynchronous standby of a server, in the server's folder.
final class PostgreSQLStandby {
    private let primary: PostgreSQLServer
    private let programs: String
    private let process = Process()
    private let lifeline = Pipe()
    private let senders: [Int32]
    private var frozen: [Int32] = []
    /// The number of the shared memory of a primary that was killed or frozen.
    private var memory: Int32?

    /// The folder with the Unix socket.
    let folder: URL

    /// Starts a standby of a server that has a copy of the cluster of another one, which has ended.
    init(of primary: PostgreSQLServer, copyOf cluster: PostgreSQLServer) throws {
        self.primary = primary
        programs = try primary.run("SELECT setting FROM pg_config() WHERE name = 'BINDIR'")[0][0]
        folder = primary.folder.appending(component: "standby")
        // The cluster has ended before the primary wrote anything: as good as a backup.
        let script = """
            mkdir -m 700 standby && cp -a --reflink=auto \(cluster.folder.path)/data standby && \
              touch standby/data/standby.signal || exit 1
            \(programs)/postgres -D standby/data -p \(primary.port) -c listen_addresses= \
              -c unix_socket_directories="$PWD/standby" -c fsync=on -c shared_buffers=16MB \
              -c primary_conninfo="host=$PWD port=\(primary.port) user=postgres" </dev/null >&2 &
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
        try process.start()
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
        process.waitForExit()
        for process in frozen { kill(process, SIGKILL) }
        // A killed server leaves it behind; it goes when the last process has ended.
        if let memory { shmctl(memory, IPC_RMID, nil) }
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

    /// Ends the primary with SIGKILL or freezes it with SIGSTOP, and promotes the standby.
    func failOver(freezing: Bool) throws {
        let processes = primary.processes
        // The seventh line has its key and its number.
        let file = primary.folder.appending(path: "data/postmaster.pid")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        memory = lines.dropFirst(6).first?.split(separator: " ").last.flatMap { Int32($0) }
        if freezing { frozen = processes }
        for process in processes { kill(process, freezing ? SIGSTOP : SIGKILL) }
        for sender in senders { kill(sender, SIGKILL) }
        try run("SELECT pg_promote(true, 60)")
    }

    /// Runs SQL as the superuser.
    func run(_ sql: String) throws {
        let psql = [
            "\(programs)/psql", "-X", "-q", "-h", folder.path, "-p", "\(primary.port)", "-U", "postgres",
        ]
        guard try Program.run(psql + ["-c", sql]).status == 0 else { throw CocoaError(.fileReadUnknown) }
    }
}
