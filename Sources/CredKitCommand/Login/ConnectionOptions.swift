// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import Glibc

/// How a server is reached.
struct ConnectionOptions: ParsableArguments {
    @Flag(
        name: .customLong("allow-insecure-http"),
        help: "Let requests go in clear to other computers: whoever is on the way reads and changes them."
    )
    var allowInsecureHTTP = false

    @Option(
        help: ArgumentHelp(
            "The certificates to trust, a file in PEM, in place of the system's.",
            valueName: "file"
        )
    )
    var cacert: FileArgument?

    @Option(
        help: ArgumentHelp(
            "How long a request may take, its redirects and its answer included: 30s, 2m.",
            valueName: "time"
        )
    )
    var timeout: TimeArgument?

    @Option(help: "Show what the client does, from this level on. No password, token or cookie is shown.")
    var logLevel: LogLevelArgument?

    func validate() throws {
        guard cacert?.isStandardInput != true else {
            throw ValidationError("--cacert takes a file; for standard input there is /dev/stdin.")
        }
    }

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] { [cacert?.descriptor].compactMap { $0 } }

    private var deadlines: Deadlines {
        var deadlines = Deadlines()
        guard let timeout else { return deadlines }
        deadlines.total = timeout.duration
        deadlines.idle = timeout.duration
        deadlines.connect = min(deadlines.connect, timeout.duration)
        return deadlines
    }

    /// What a session is made with; its name is left open.
    func configuration() -> LoginSession.Configuration {
        var configuration = LoginSession.Configuration()
        configuration.allowsInsecureHTTP = allowInsecureHTTP
        configuration.deadlines = deadlines
        configuration.logger = StandardErrorLog.logger(logLevel)
        return configuration
    }

    /// A transport of its own, where the command line asks for what the standard one has not.
    func transport() throws -> (any HTTPTransport)? {
        guard let cacert else { return nil }
        let path = try cacert.text()
        guard access(path, R_OK) == 0 else {
            throw CommandFailure(.inputOutput, "\(cacert.quoted): \(SystemError.message(of: errno))")
        }
        do throws(LoginError) {
            return try AsyncHTTPClientTransport(
                .init(
                    connectTimeout: deadlines.connect,
                    idleTimeout: deadlines.idle,
                    trustedCertificates: .file(path)
                )
            )
        } catch {
            throw CommandFailure(.malformed, "\(cacert.quoted): has no certificates in PEM")
        }
    }

    /// The URL of the command line.
    static func url(_ text: String) throws -> HTTPURL {
        do throws(LoginError) {
            return try HTTPURL(text)
        } catch {
            // Without the text, which may have a password in it.
            throw ValidationError("This is not a URL that can be asked: \(error.description).")
        }
    }
}
