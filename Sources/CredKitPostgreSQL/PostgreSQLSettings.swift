// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import CredKitServer

/// How a ``PostgreSQLClient`` reaches its server.
///
/// ```swift
/// var settings = PostgreSQLSettings("host=db.example dbname=logins user=login_server")
/// settings.password = password
/// let client = try PostgreSQLClient(settings)
/// ```
public struct PostgreSQLSettings: Sendable {
    /// Which servers on other machines are trusted.
    public enum ServerVerification: Sendable {
        /// Only those with a certificate that a trusted authority has signed for the host's name. A weaker `sslmode` in the
        /// connection string is an error.
        case required
        /// Those that a `sslmode` in the connection string permits; without one, those of ``required``. With `require` or less, an
        /// attacker on the network can read and change everything.
        case byConnectionString
    }

    /// The connection string or URI of libpq, such as `host=db dbname=app user=server` or `postgresql://server@db/app`.
    ///
    /// What it leaves out is taken from the variables of libpq, such as `PGHOST` and `PGPASSFILE`. Keep a password out of it where
    /// the string is on a command line: every user of the machine can read that.
    public var connectionString: String

    /// The password; `nil` if the connection string or a password file has it, or the server requires none. libpq keeps a copy in
    /// ordinary memory for as long as a connection exists.
    public var password: SecretBytes?

    /// The path of a PEM file with the authorities of the server's certificate. `nil` for `sslrootcert` of the connection string,
    /// `PGSSLROOTCERT`, or else the system's authorities.
    public var authorities: String?

    /// Which servers on other machines are trusted. Servers on this machine, by a Unix socket or a loopback address, need no
    /// certificate.
    public var serverVerification = ServerVerification.required

    /// The number of threads, each with a connection, from 2 to 8. Default: 4.
    public var threadCount = 4

    /// The most statements that wait for a thread, from 1 to 100,000. Further ones fail as
    /// ``CredKitServer/SharedStateError/Code/overloaded``. Default: 1,000.
    public var maximumWaitingCount = 1000

    /// The time within which a connection must be made, from 100 milliseconds to 60 seconds. A statement that waits for it has its
    /// own time limit. Default: 5 seconds.
    public var connectTimeLimit = Duration.seconds(5)

    /// The name under which the server lists the connections. Default: `credkit`.
    public var applicationName = "credkit"

    /// Whether standbys and servers or roles that only read will do, unless the connection string says otherwise.
    package var acceptsReadOnly = false

    /// Creates settings.
    ///
    /// - Parameter connectionString: The connection string or URI of libpq.
    public init(_ connectionString: String) {
        self.connectionString = connectionString
    }

    /// Checks the numbers.
    func check() throws(SharedStateError) {
        guard (2...8).contains(threadCount) else {
            throw Self.invalid("the number of threads is not from 2 to 8")
        }
        guard (1...100_000).contains(maximumWaitingCount) else {
            throw Self.invalid("the number of waiting statements is not from 1 to 100000")
        }
        guard (.milliseconds(100) ... .seconds(60)).contains(connectTimeLimit) else {
            throw Self.invalid("the time limit of connecting is not from 0.1 to 60 seconds")
        }
    }

    static func invalid(_ message: String) -> SharedStateError {
        SharedStateError(.invalidSettings, message: message)
    }
}

extension PostgreSQLSettings {
    /// Returns whether a connection string contains a password, which every user of the machine could read in the list of
    /// processes: a program should refuse it on its command line.
    ///
    /// - Parameter text: The string or URI, such as `host=db dbname=app` or `postgresql://db/app`, which may be malformed.
    /// - Returns: `true` also for some texts that only look as if.
    public static func containsPassword(_ text: String) -> Bool {
        let decoded = PercentCoding.component.decodeLeniently(text.utf8)
        for text in [Array(text.utf8), decoded] where namesPassword(text) { return true }
        guard let start = text.firstRange(of: "://") else { return false }
        // The user's name and password are before the host, which contains no at sign.
        let authority = text[start.upperBound...].prefix { $0 != "/" }
        guard let end = authority.lastIndex(of: "@") else { return false }
        return authority[..<end].contains(":")
    }

    /// Returns whether `password` or `sslpassword` and an equals sign occur, with any quotes or spaces around them.
    private static func namesPassword(_ text: [UInt8]) -> Bool {
        let lower = String(decoding: text, as: UTF8.self).lowercased()
        return lower.split(separator: "password", omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            rest.drop(while: \.isWhitespace).first == "="
        }
    }
}
