// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Glibc

/// The files of `credkit-server init`.
enum InitialFiles {
    private static let keyByteCount = 32

    /// Returns the files.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of their folder.
    ///   - user: The name of the user.
    ///   - hash: The hash of the user's password.
    ///   - site: The site to protect; `nil` for logins of programs alone.
    /// - Returns: The files.
    /// - Throws: `SecretMemoryError` if there is no memory for a key.
    static func all(in folder: String, user: String, hash: String, site: SiteOrigin?) throws -> [NewFolder
        .File]
    {
        let users = "# A line NAME:CREDENTIAL for each user.\n\(user):\(hash)\n"
        let stateKey = try SecretBytes(randomByteCount: keyByteCount).withSecretBytes { key in
            key.indices.map { key[$0] }
        }
        let mockKey = try ServerMocks(of: []).text
        let unit = ServiceUnit.text(program: visible(program), folder: folder)
        return [
            NewFolder.File("credkit-server.conf", mode: 0o640, "the options of the server", options(site)),
            NewFolder.File("users", mode: 0o600, "the users", users),
            NewFolder.File("mock-key", mode: 0o600, "a key for logins by SCRAM", mockKey),
            NewFolder.File("state-key", mode: 0o600, "a key for several servers", stateKey),
            NewFolder.File("nginx.conf", mode: 0o640, "to include in a server of nginx", NginxSnippet.text),
            NewFolder.File("credkit-server.service", mode: 0o640, "a unit of systemd", unit),
        ]
    }

    /// The path of the program of the package.
    static let packagedProgram = "/usr/bin/credkit-server"

    /// The folder and the unit of the package's service.
    static let packagedFolder = "/etc/credkit-server"
    static let packagedUnit = "/usr/lib/systemd/system/credkit-server.service"

    /// Whether the sandbox of the unit hides a program.
    static func isHidden(_ path: String) -> Bool {
        ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"].contains { path.hasPrefix($0) }
    }

    /// Returns the path of the program that the unit starts, for a program at a path.
    static func visible(_ path: String) -> String { isHidden(path) ? packagedProgram : path }

    /// The path of this program.
    static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        let text = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.hasPrefix("/") && NewFolder.isPlain(text) ? text : packagedProgram
    }

    private static func options(_ site: SiteOrigin?) -> String {
        let login =
            site.map { "site \($0.text)" }
                ?? """
                mechanism form
                # In place of the line above, a login page for the visitors of a site:
                #site https://www.example.org
                """
        return """
            # The options of credkit-server: a line NAME VALUE for each, without the hyphens that it has on the command line.
            # See credkit-server --help, and docs/login-server.md. A value ends with its line; there are no quotes. The names of
            # files are relative to the folder of this file. Options of the command line replace those here.

            users users
            \(login)

            # nginx passes requests to this address: see nginx.conf.
            listen 127.0.0.1:8080
            trusted-proxy 127.0.0.1

            # Passkeys of the users of the site. A single server keeps them in this file, for example where the unit may write.
            #passkeys /var/lib/credkit-server/passkeys.json

            # Users of the site can change their passwords at /auth/account, and get the links of 'credkit-server users', if the
            # server can write the users file.
            #account-changes

            # Logs and metrics for programs.
            #log-format json
            #metrics 127.0.0.1:9464

            # Logins by SCRAM, of users with a credential of 'credkit hash scram-sha-256'.
            #mechanism scram
            #mock-key-file mock-key

            # Several servers that share sessions and limits. All need the same key.
            #state redis://127.0.0.1:6379
            #state-key-file state-key

            """
    }
}
