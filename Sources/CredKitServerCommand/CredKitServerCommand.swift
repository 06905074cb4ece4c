// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitServer
import CredKitTerminal
import HummingbirdTLS

/// The `credkit-server` command: a login server to try clients with.
@main
struct CredKitServerCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit-server",
        abstract: "Runs a login server to try clients with.",
        discussion: """
            For instance:
              printf zhang: > users
              printf s3cret | credkit hash timestamp --key-phrase itheima \\
                --password-equivalent >> users
              credkit-server --key itheima --users users --port 0

            It answers on this machine only, until Ctrl-C ends it, and lists its interfaces at /. A line of the users \
            file is NAME:RECORD, the record made by 'credkit hash timestamp KEY --password-equivalent' for timestamped \
            logins, or by 'credkit hash argon2id' and its peers for logins by a form. A record logs in as its password \
            does, or lets it be guessed: keep the file to yourself.

            The first line of standard output is the address. Requests are noted on standard error, without queries \
            and bodies.
            """,
        version: "0.1.0"
    )

    @OptionGroup(title: "Key phrase")
    var keyOptions: KeyOptions

    @Option(help: ArgumentHelp("The users, a line NAME:RECORD for each.", valueName: "file"))
    var users: FileArgument

    @Option(help: ArgumentHelp("The port; 0 for any that is free.", valueName: "n"))
    var port: UInt16 = 8080

    @Option(help: ArgumentHelp("The address or name to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Flag(
        help: "Listen on a host other than this machine without TLS: whoever is on the way reads everything."
    )
    var allowInsecureHTTP = false

    @Option(
        help: ArgumentHelp("A PEM file with the server's certificates, its own first.", valueName: "file")
    )
    var tlsCertificate: FileArgument?

    @Option(help: ArgumentHelp("A PEM file with the certificate's private key.", valueName: "file"))
    var tlsKey: FileArgument?

    @Option(help: ArgumentHelp("The seconds that a session lasts, from 1 to 34560000.", valueName: "seconds"))
    var sessionTTL = 3600

    @Flag(help: "Give the bare minute, as the articles do, and not a text that is good for one login.")
    var minuteText = false

    @Flag(
        help: """
            With --minute-text: no earlier server had these users. Otherwise nobody can log in for the first three \
            minutes, in which proofs that an earlier server took could be used again.
            """
    )
    var firstStart = false

    @Option(help: ArgumentHelp("The time zone of the minutes (default: this machine's).", valueName: "id"))
    var timeZone: String?

    @Option(help: ArgumentHelp("The attempts of an account in five minutes.", valueName: "n"))
    var attempts = 10

    @Flag(help: "Take a name and a password in a URL, where logs keep them.")
    var allowGetLogin = false

    @Flag(name: .shortAndLong, help: "Write no line for each request.")
    var quiet = false

    func validate() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key go together.")
        }
        guard isLoopback || tlsCertificate != nil || allowInsecureHTTP else {
            throw ValidationError(
                "On a host other than this machine, give --tls-certificate and --tls-key, or --allow-insecure-http."
            )
        }
        guard !firstStart || minuteText else {
            throw ValidationError("--first-start goes with --minute-text.")
        }
        guard (1...34_560_000).contains(sessionTTL) else {
            throw ValidationError("--session-ttl takes from 1 to 34560000 seconds.")
        }
        guard (1...1_000_000).contains(attempts) else {
            throw ValidationError("--attempts takes a number from 1 to 1000000.")
        }
        if let timeZone { try WallClock.check(timeZone: timeZone) }
        if let source = keyOptions.descriptor, source == users.descriptor {
            throw ValidationError(
                "One input cannot be both the key and the users; give one of them otherwise."
            )
        }
    }

    static func main() {
        CrashHygiene.apply()
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
        settings.sessionLifetime = sessionTTL
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
