// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A PostgreSQL server with a new, empty cluster, on a Unix socket and a free port of 127.0.0.1. It ends with this object,
/// or when the test process exits for any reason.
///
/// Over TCP, roles log in with SCRAM-SHA-256. Over the socket, the superuser logs in without a password. Text in the
/// databases is SQL_ASCII, which means any bytes without NUL. `fsync` is off.
public final class PostgreSQLServer {
    /// A certificate for localhost and 127.0.0.1 that is signed with its own key.
    public enum Certificate: String, CaseIterable {
        case ecdsaSHA256, rsaSHA256, rsaSHA384, ed25519

        fileprivate var arguments: [String] {
            switch self {
            case .ecdsaSHA256: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-sha256"]
            case .rsaSHA256: ["-newkey", "rsa:2048", "-sha256"]
            case .rsaSHA384: ["-newkey", "rsa:2048", "-sha384"]
            case .ed25519: ["-newkey", "ed25519"]
            }
        }
    }

    /// A program that did not do what the tests need, and what it said.
    public struct Failure: Error, CustomStringConvertible {
        /// The name of the program.
        public let program: String
        /// What it wrote to its standard error.
        public let errors: String

        /// Creates a failure.
        ///
        /// - Parameters:
        ///   - program: The name of the program.
        ///   - errors: What it wrote to its standard error.
        public init(program: String, errors: String) {
            (self.program, self.errors) = (program, errors)
        }

        /// The program and what it said.
        public var description: String { "\(program): \(errors)" }
    }

    /// The name of the superuser, and of the database that always exists.
    public static let superuser = "postgres"

    /// The port on 127.0.0.1.
    public private(set) var port = 0

    /// The folder with the Unix socket. Only the server's user and root can enter it.
    public let folder: URL

    /// The server's certificate in PEM, for `sslrootcert`; `nil` without TLS.
    public let certificate: URL?

    private let settings: [String: String]
    private let programs: URL
    private var program: KeptProgram?

    /// Creates a cluster and starts a server.
    ///
    /// - Parameters:
    ///   - certificate: The certificate for TLS, which clients may use then; `nil` for a server without TLS.
    ///   - settings: Further settings, such as `["log_connections": "on"]`.
    /// - Throws: ``Failure`` if a program is not installed or fails.
    public convenience init(certificate: Certificate? = nil, settings: [String: String] = [:]) throws {
        try self.init(certificate: certificate, settings: settings, copyOf: nil)
    }

    /// Starts a server with a copy of the cluster of another one, which ``shutDown()`` has ended.
    ///
    /// - Parameters:
    ///   - other: The other server, without TLS.
    ///   - settings: Further settings.
    /// - Throws: ``Failure`` if a program is not installed or fails.
    public convenience init(copyOf other: PostgreSQLServer, settings: [String: String] = [:]) throws {
        try self.init(certificate: nil, settings: settings, copyOf: other)
    }

    private init(certificate: Certificate?, settings: [String: String], copyOf other: PostgreSQLServer?)
        throws
    {
        guard let programs = Self.programs() else {
            throw Failure(program: "postgres", errors: "not installed; run script/bootstrap test")
        }
        self.programs = programs
        self.settings = settings
        // The path of a Unix socket has at most 107 bytes.
        let folder = URL(filePath: "/tmp/credkit-postgresql-\(UUID().uuidString.prefix(8))")
        self.folder = folder
        // Beside the folder of the server's user, who could replace it there.
        self.certificate = certificate.map { _ in folder.appendingPathExtension("crt") }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        chmod(folder.path, 0o700)
        do {
            if let other { try copyCluster(of: other) } else { try createCluster(certificate) }
            // Another program may take the free port before the server does.
            for attempt in 0... {
                do {
                    port = try Int(FreePort().number)
                    try start()
                    break
                } catch  where attempt < 2 {
                    continue
                }
            }
        } catch {
            stop()
            throw error
        }
    }

    deinit { stop() }

    private func createCluster(_ certificate: Certificate?) throws {
        if let certificate {
            let names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
            let files = ["-keyout", "server.key", "-out", "server.crt"]
            try succeed(
                "openssl",
                ["req", "-x509", "-noenc", "-days", "30"] + certificate.arguments + names + files
            )
            chmod(folder.appending(component: "server.key").path, 0o600)
            if let copy = self.certificate {
                try FileManager.default.copyItem(at: folder.appending(component: "server.crt"), to: copy)
            }
        }
        // PostgreSQL does not run as root.
        if getuid() == 0 { try succeed("chown", ["-R", "\(Self.user):", "."]) }
        // Small files of the log are quickly created and copied.
        let options = [
            "-D", "data", "-U", Self.superuser, "--encoding=SQL_ASCII", "--no-locale", "--no-sync",
            "--wal-segsize=1",
        ]
        try succeed(
            Self.unprivileged + [path("initdb"), "--no-instructions", "--auth=trust"] + options
        )
        let rules = """
            local all \(Self.superuser) trust
            local replication \(Self.superuser) trust
            local all all scram-sha-256
            host all all 127.0.0.1/32 scram-sha-256

            """
        // Written in place, so that the owner stays the server's user.
        let file = try FileHandle(forWritingTo: folder.appending(path: "data/pg_hba.conf"))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(rules.utf8))
        try file.close()
    }

    private func copyCluster(of other: PostgreSQLServer) throws {
        if getuid() == 0 { try succeed("chown", ["\(Self.user):", "."]) }
        try succeed(Self.unprivileged + ["cp", "-a", "--reflink=auto", other.folder.path + "/data", "."])
    }

    private func start() throws {
        var all = [
            "port": "\(port)", "listen_addresses": "127.0.0.1", "unix_socket_directories": folder.path,
            "password_encryption": "scram-sha-256", "fsync": "off", "shared_buffers": "16MB",
        ]
        if certificate != nil {
            all["ssl"] = "on"
            all["ssl_cert_file"] = folder.appending(component: "server.crt").path
            all["ssl_key_file"] = folder.appending(component: "server.key").path
        }
        all.merge(settings) { _, new in new }
        let options = all.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
        do {
            program = try KeptProgram(
                [path("postgres"), "-D", "data"] + options,
                endedBy: "QUIT",
                in: folder,
                through: Self.unprivileged,
                environment: Self.environment,
                readyAt: "ready to accept connections"
            )
        } catch let error as KeptProgram.NotReady {
            throw Failure(program: "postgres", errors: error.output)
        }
    }

    /// Ends the server as a crash does. Its folder remains.
    public func end() {
        program?.end()
        program = nil
    }

    /// Stops the server and removes its folder. Nothing listens on its port then.
    public func stop() {
        end()
        try? FileManager.default.removeItem(at: folder)
        if let certificate { try? FileManager.default.removeItem(at: certificate) }
    }

    /// Stops the server as a crash does, and starts it again on the same port.
    ///
    /// - Parameter body: What to do while it is down.
    /// - Throws: ``Failure`` if it does not start, and what `body` throws.
    public func restart(_ body: () throws -> Void = {}) throws {
        end()
        try body()
        try start()
    }

    /// Ends the server with all that it knows in its cluster. Its folder remains.
    public func shutDown() {
        if let first = processes.first { kill(first, SIGINT) }
        while !processes.isEmpty { usleep(2000) }
        end()
    }

    /// The processes of the server, the one that accepts connections first.
    public var processes: [Int32] {
        let file = folder.appending(path: "data/postmaster.pid")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        guard let first = text.split(separator: "\n").first.flatMap({ Int32($0) }), first > 1 else {
            return []
        }
        let list = "/proc/\(first)/task/\(first)/children"
        let children = (try? String(contentsOfFile: list, encoding: .utf8)) ?? ""
        return [first] + children.split(separator: " ").compactMap { Int32($0) }
    }

    /// Stops all processes of the server with SIGSTOP while `body` runs.
    ///
    /// - Parameter body: What to do meanwhile.
    /// - Returns: What it returned.
    /// - Throws: What it threw.
    public func suspended<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        let processes = processes
        for process in processes { kill(process, SIGSTOP) }
        defer { for process in processes { kill(process, SIGCONT) } }
        return try await body()
    }

    // MARK: Clients

    /// Makes the connection string of a role over TCP, for libpq.
    ///
    /// - Parameters:
    ///   - role: The name of the role.
    ///   - parameters: Further parameters, such as `sslmode=require channel_binding=require`.
    /// - Returns: The connection string.
    public func connectionString(role: String, _ parameters: String = "") -> String {
        "host=127.0.0.1 port=\(port) user='\(role)' dbname=\(Self.superuser) connect_timeout=10 \(parameters)"
    }

    /// The connection string of the superuser over the Unix socket, who needs no password.
    public var superuserConnectionString: String {
        "host=\(folder.path) port=\(port) user=\(Self.superuser) dbname=\(Self.superuser)"
    }

    /// Runs SQL as the superuser over the Unix socket, and returns the rows, each as its columns.
    @discardableResult
    public func run(_ sql: String, in database: String = PostgreSQLServer.superuser) throws -> [[String]] {
        let connection = "host=\(folder.path) port=\(port) user=\(Self.superuser) dbname=\(database)"
        let text = try succeed([path("psql"), "-d", connection] + Self.psqlOptions, input: sql)
        return text.split(separator: "\n", omittingEmptySubsequences: true).map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Logs in with psql over TCP and runs SQL.
    ///
    /// - Parameters:
    ///   - role: The name of the role.
    ///   - password: The password, without LF and NUL.
    ///   - parameters: Further parameters of the connection string.
    ///   - sql: What to run.
    /// - Returns: psql's output, its standard error and its exit status: 0 if the login and the SQL succeeded.
    /// - Throws: If psql cannot be started.
    public func logIn(
        role: String,
        password: [UInt8],
        _ parameters: String = "",
        sql: String = "SELECT current_user"
    ) throws -> (output: String, errors: String, status: Int32) {
        let file = folder.appending(component: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        // A file, because the environment of a child process is text in Foundation.
        var line = Array("*:*:*:*:".utf8)
        for byte in password {
            if [UInt8(ascii: ":"), UInt8(ascii: "\\")].contains(byte) { line.append(UInt8(ascii: "\\")) }
            line.append(byte)
        }
        try Data(line).write(to: file)
        chmod(file.path, 0o600)
        let connection = connectionString(role: role, parameters)
        return try execute(
            [path("psql"), "-d", connection] + Self.psqlOptions,
            input: sql,
            environment: ["PGPASSFILE": file.path]
        )
    }

    private static let psqlOptions = ["-X", "-q", "-w", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1"]

    // MARK: Programs

    /// The user of Debian's package, whose name every other system has too.
    private static let user = "postgres"

    /// What precedes a program that must not run as root.
    static let unprivileged =
        getuid() == 0 ? ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--init-groups"] : []

    private static let environment = [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/",
    ]

    /// Returns the folder with the programs of the newest version.
    private static func programs() -> URL? {
        let debian = URL(filePath: "/usr/lib/postgresql")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian.path)) ?? []
        let folders =
            versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { debian.appending(path: "\($0)/bin") }
            + (environment["PATH"] ?? "").split(separator: ":").map { URL(filePath: String($0)) }
        return folders.first { folder in
            ["initdb", "postgres", "psql"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: folder.appending(component: $0).path)
            }
        }
    }

    private func path(_ program: String) -> String { programs.appending(component: program).path }

    @discardableResult
    private func succeed(_ command: [String], input: String = "") throws -> String {
        let result = try execute(command, input: input)
        guard result.status == 0 else {
            throw Failure(program: command.joined(separator: " "), errors: result.errors + result.output)
        }
        return result.output
    }

    @discardableResult
    private func succeed(_ program: String, _ arguments: [String]) throws -> String {
        try succeed([program] + arguments)
    }

    private func execute(
        _ command: [String],
        input: String,
        environment: [String: String] = [:]
    ) throws -> (output: String, errors: String, status: Int32) {
        let outcome = try Program.run(
            command,
            input: Data(input.utf8),
            in: folder,
            environment: Self.environment.merging(environment) { _, new in new },
            errors: .kept
        )
        return (outcome.text, outcome.errors, outcome.status)
    }
}
