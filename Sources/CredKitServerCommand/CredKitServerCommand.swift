// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitServer
import CredKitTerminal
import HummingbirdTLS

/// The `credkit-server` command: a login server for testing clients.
@main
struct CredKitServerCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit-server",
        abstract: "Run a login server for testing clients.",
        discussion: """
            For instance:
              printf zhang: > users
              printf s3cret | credkit hash timestamp --key-phrase itheima \\
                --password-equivalent >> users
              credkit-server --key itheima --users users --port 0

            It accepts connections from this machine only, runs until Ctrl-C, and lists its endpoints at /. Each line \
            of the users file is NAME:RECORD. Create the credential with 'credkit hash timestamp KEY \
            --password-equivalent' for timestamped logins, or with 'credkit hash argon2id' or another scheme for form \
            logins. A credential can be used to log in or to guess the password: keep the file private.

            The first line of standard output is the address. Requests are logged on standard error, without queries \
            and bodies.
            """,
        version: "0.1.0"
    )

    @OptionGroup(title: "Key phrase")
    var keyOptions: KeyOptions

    @Option(help: ArgumentHelp("The users file, with a line NAME:RECORD for each user.", valueName: "file"))
    var users: FileArgument

    @Option(help: ArgumentHelp("The port; 0 for any free port.", valueName: "n"))
    var port: UInt16 = 8080

    @Option(help: ArgumentHelp("The address or name to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Flag(
        help:
            "Allow a --host other than this machine without TLS: an attacker on the network can read everything."
    )
    var allowInsecureHTTP = false

    @Option(
        help: ArgumentHelp("A PEM file with the certificate chain, the server's first.", valueName: "file")
    )
    var tlsCertificate: FileArgument?

    @Option(help: ArgumentHelp("A PEM file with the certificate's private key.", valueName: "file"))
    var tlsKey: FileArgument?

    @Option(
        help: ArgumentHelp("The lifetime of a session, from 1 to 34560000 seconds.", valueName: "seconds")
    )
    var sessionTTL = 3600

    @Flag(help: "Issue the bare minute, as in the articles, instead of a challenge for a single login.")
    var minuteText = false

    @Flag(
        help: """
            With --minute-text: state that no earlier server had these users. Without it, all logins are rejected for \
            the first three minutes, in which an attacker could replay proofs that an earlier server accepted.
            """
    )
    var firstStart = false

    @Option(help: ArgumentHelp("The time zone of the minutes (default: this machine's).", valueName: "id"))
    var timeZone: String?

    @Option(help: ArgumentHelp("The number of login attempts per account in five minutes.", valueName: "n"))
    var attempts = 10

    @Flag(help: "Accept a user name and a password in a URL, which logs may record.")
    var allowGetLogin = false

    @Flag(name: .shortAndLong, help: "Do not log requests.")
    var quiet = false

    func validate() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key must be given together.")
        }
        guard isLoopback || tlsCertificate != nil || allowInsecureHTTP else {
            throw ValidationError(
                "To listen beyond this machine, give --tls-certificate and --tls-key, or --allow-insecure-http."
            )
        }
        guard !firstStart || minuteText else {
            throw ValidationError("--first-start requires --minute-text.")
        }
        guard (1...34_560_000).contains(sessionTTL) else {
            throw ValidationError("--session-ttl must be from 1 to 34560000 seconds.")
        }
        guard (1...1_000_000).contains(attempts) else {
            throw ValidationError("--attempts must be from 1 to 1000000.")
        }
        if let timeZone { try WallClock.check(timeZone: timeZone) }
        if let source = keyOptions.descriptor, source == users.descriptor {
            throw ValidationError(
                "The key and the users file cannot be the same input; provide one of them in another way."
            )
        }
    }

    static func main() {
        CrashReports.apply()
        OpenSSLConfiguration.ignore()
        StandardStreams.reserve()
        let arguments = RawArguments.commandLine
        do {
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch let failure as CommandFailure {
            leave(failure)
        } catch let error as PasswordError {
            leave(CommandFailure(reporting: error))
        } catch let error as KeychainError {
            leave(CommandFailure(reporting: error))
        } catch let error as SecretMemoryError {
            leave(CommandFailure(.tryAgain, "\(error)"))
        } catch {
            CommandExit.leave(error, from: Self.self, arguments)
        }
    }

    private static func leave(_ failure: CommandFailure) -> Never {
        CommandExit.leave(failure, from: "credkit-server")
    }

    /// Whether only this machine can connect.
    private var isLoopback: Bool {
        host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.utf8.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: ".") }
    }

    func execute() async throws {
        let clock = try ServerClock(timeZone: timeZone)
        let keyPhrase = try keyOptions.readText(raw: false)
        let users = try ServerUsers(
            parsing: ServerFile.read(users, upTo: ServerUsers.maximumByteCount),
            named: users.quotedForMessage
        )
        var settings = LoginServer.Settings()
        settings.usesBareMinutes = minuteText
        settings.isFirstStart = firstStart
        settings.hasTLS = tlsCertificate != nil
        settings.allowsPasswords = isLoopback || settings.hasTLS
        settings.allowsPasswordsInURLs = allowGetLogin
        settings.sessionLifetime = .seconds(sessionTTL)
        settings.attempts = attempts
        settings.isQuiet = quiet
        let server = try LoginServer(settings: settings, users: users, clock: clock, keyPhrase: keyPhrase)
        var tls: TLSConfiguration?
        if let tlsCertificate, let tlsKey {
            tls = try TLSFiles(certificate: tlsCertificate, key: tlsKey).configuration()
        }
        try await ServerRun(server: server, host: host, port: port, tls: tls).run()
    }
}
#endif
