// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPQ
internal import CredKit
internal import CredKitServer
internal import CredKitSystem
internal import Glibc

/// The parameters of a connection, of which those that decide on trust are checked.
struct ConnectionParameters: Sendable {
    /// In the order in which libpq gets them, without the password.
    let values: [(name: String, value: String)]
    let password: SecretBytes?
    /// Verifies that the server has the name of its host; `nil` if it need not prove that.
    let verifier: PeerVerifier?

    /// Reads a connection string as libpq does.
    ///
    /// - Throws: ``SharedStateError`` if it is malformed or permits what the settings do not.
    init(_ settings: PostgreSQLSettings) throws(SharedStateError) {
        var given = try Self.parse(settings.connectionString)
        let defaults = unsafe libpq.PQconndefaults().map { unsafe Self.take($0) } ?? [:]
        let hosts = Self.hosts(given, defaults)
        // A service can name any host, as soon as its file is changed.
        let isLocal = (given["service"] ?? defaults["service"]) == nil && hosts.allSatisfy(Self.isLocal)
        let mode = given["sslmode"]
        let verifies: Bool
        switch settings.serverVerification {
        case .required:
            guard isLocal || mode == nil || mode == "verify-full" else {
                throw SharedStateError(
                    .unsafeSettings,
                    message:
                        "sslmode=\(mode ?? "") does not verify the server, which is not certainly on this machine: use verify-full"
                )
            }
            verifies = !isLocal || mode == "verify-full"
        case .byConnectionString: verifies = mode.map { $0 == "verify-full" } ?? !isLocal
        }
        for name in ["sslrootcert", "sslcert", "sslkey", "sslcrl", "passfile", "servicefile"] {
            if let path = given[name], path != "system" { try SystemFiles.refuseIfOthersCanChange(path) }
        }
        for name in ["PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "PGPASSFILE", "PGSERVICEFILE"] {
            if let path = Environment.value(name) { try SystemFiles.refuseIfOthersCanChange(path) }
        }
        if let path = settings.authorities { try SystemFiles.refuseIfOthersCanChange(path) }
        verifier = verifies ? try Self.verify(&given, defaults, settings) : nil
        given["gssencmode"] = verifies ? "disable" : given["gssencmode"] ?? "disable"
        for (name, value) in Self.defaults(settings) where given[name] == nil { given[name] = value }
        // Parameters and answers are UTF-8.
        given["client_encoding"] = "UTF8"
        values = given.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        password = settings.password
    }

    private static func defaults(_ settings: PostgreSQLSettings) -> [(String, String)] {
        [
            ("fallback_application_name", settings.applicationName),
            // A standby's answers are old.
            ("target_session_attrs", settings.acceptsReadOnly ? "any" : "read-write"),
            // A server that disappeared silently is given up.
            ("tcp_user_timeout", "2000"), ("keepalives_idle", "10"), ("keepalives_interval", "2"),
            ("keepalives_count", "3"),
        ]
    }

    /// Requires a verified certificate.
    private static func verify(
        _ given: inout [String: String],
        _ defaults: [String: String],
        _ settings: PostgreSQLSettings
    ) throws(SharedStateError) -> PeerVerifier {
        let path =
            settings.authorities ?? given["sslrootcert"] ?? defaults["sslrootcert"] ?? SystemFiles.authorities
        guard let path else {
            throw PostgreSQLSettings.invalid("this system has no file of certificate authorities: name one")
        }
        given["sslmode"] = "verify-full"
        given["sslrootcert"] = path
        guard let bytes = SystemFiles.read(path) else {
            throw PostgreSQLSettings.invalid("the file of certificate authorities cannot be read: \(path)")
        }
        do throws(PeerVerifier.Failure) {
            return try PeerVerifier(authorities: bytes)
        } catch {
            throw PostgreSQLSettings.invalid("\(path): \(error.message)")
        }
    }

    // MARK: libpq's reading

    private static func parse(_ text: String) throws(SharedStateError) -> [String: String] {
        guard !text.utf8.contains(0) else {
            throw PostgreSQLSettings.invalid("the connection string contains NUL")
        }
        var message: UnsafeMutablePointer<CChar>?
        let options = unsafe libpq.PQconninfoParse(text, &message)
        defer { unsafe libpq.PQfreemem(message) }
        guard let options = unsafe options else {
            // libpq's message repeats parts of the string, which may contain a password.
            throw PostgreSQLSettings.invalid(
                "the connection string is malformed: it is not of the form that libpq reads"
            )
        }
        return unsafe take(options)
    }

    /// Returns the values of options, and frees them.
    private static func take(_ options: UnsafeMutablePointer<credkit_pq_option>) -> [String: String] {
        var values: [String: String] = [:]
        var next = unsafe options
        while let keyword = unsafe next.pointee.keyword {
            // An empty value stands for the default.
            if let value = unsafe next.pointee.val, unsafe value.pointee != 0 {
                unsafe values[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe next += 1
        }
        unsafe libpq.PQconninfoFree(options)
        return values
    }

    /// The hosts that libpq will try, in the connection string or else in the environment. Empty for the default, a Unix socket.
    private static func hosts(_ given: [String: String], _ defaults: [String: String]) -> [Substring] {
        func list(_ name: String) -> [Substring] {
            (given[name] ?? defaults[name] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        }
        // An address in the environment counts beside a host in the string. Where the list has none, the host at this place counts.
        let (addresses, names) = (list("hostaddr"), list("host"))
        return (0..<max(addresses.count, names.count)).map { index in
            if index < addresses.count, !addresses[index].isEmpty { return addresses[index] }
            return index < names.count ? names[index] : ""
        }
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@")
            || ["localhost", "127.0.0.1", "::1"].contains(host)
    }
}

/// Files of certificates.
enum SystemFiles {
    /// A bundle of some thousand authorities is smaller.
    private static let maximumByteCount = 4 << 20

    /// The file with all authorities that this system trusts; `nil` if it is in no usual place. libpq 15 cannot find it by itself.
    static let authorities: String? = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]
    .first { unsafe access($0, R_OK) == 0 }

    /// Refuses a file that other users can change or replace: it decides which server is the right one, or who this one is.
    static func refuseIfOthersCanChange(_ path: String) throws(SharedStateError) {
        // O_PATH, which Swift does not import. What is missing is reported by who reads it.
        let number = unsafe open(path, 0o10_000_000 | O_CLOEXEC)
        guard number >= 0 else { return }
        let file = Descriptor(number)
        do throws(SystemError) {
            try TrustedFile.check(file.number, path: Array(path.utf8), name: path)
        } catch {
            throw SharedStateError(.unsafeSettings, message: error.description)
        }
    }

    /// Returns the content of a file; `nil` if it cannot be read or is too large.
    static func read(_ path: String) -> [UInt8]? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let bytes = try? Descriptor(number).readAll(limit: maximumByteCount + 1)
        return (bytes?.count ?? .max) <= maximumByteCount ? bytes : nil
    }
}
