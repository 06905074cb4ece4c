// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitServer
import CredKitTerminal
import Glibc

/// The `credkit-server` command: a login server.
@main
struct CredKitServerCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit-server",
        abstract: "Run a login server.",
        discussion: """
            For instance:
              credkit-server init login
              credkit-server --config login/credkit-server.conf --listen 127.0.0.1:0

            'credkit-server init' creates a folder with a user and the files of a server. The server accepts connections \
            from this machine only, runs until Ctrl-C, and lists its endpoints at /.

            Each line of the users file is NAME:CREDENTIAL. Create the credential with 'credkit hash argon2id' or another \
            scheme for form logins, with 'credkit hash scram-sha-256' for logins by SCRAM, or with 'credkit hash \
            legacy timestamp --password-equivalent' for the legacy timestamped login. A credential can be used to log in or \
            to guess the password: keep the file private.

            The first line of standard output is the address. Requests are logged on standard error, without queries \
            and bodies. Files are read again when they change and at SIGHUP.

            'credkit-server check', with the same options, checks them without starting a server; 'credkit-server users' adds, \
            removes and invites users; 'credkit-server passkeys' lists and removes the passkeys of a user; 'credkit-server schema' \
            prints the tables of a shared state in PostgreSQL.
            """,
        version: ProgramVersion.current
    )

    @Option(
        help: ArgumentHelp(
            """
            A file with these options: a line 'NAME VALUE' for each, without the hyphens, and comments after #. A value ends with \
            its line; there are no quotes. Options of the command line replace its own.
            """,
            valueName: "file"
        )
    )
    var config: FileArgument?

    @OptionGroup(title: "Key phrase of timestamped logins")
    var keyPhraseOptions: KeyPhraseOptions

    @Option(
        help: ArgumentHelp("The users file, with a line NAME:CREDENTIAL for each user.", valueName: "file")
    )
    var users: FileArgument?

    @Option(
        help: ArgumentHelp(
            """
            A file with a line NAME:otpauth://… for each user who must send a one-time code as well. With --account-changes it is \
            created if there is none.
            """,
            valueName: "file"
        )
    )
    var otpFile: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The address and the port to listen on, [ADDRESS]:PORT for IPv6; port 0 is any free port.",
            valueName: "address:port"
        )
    )
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)

    @Flag(
        help:
            "Listen beyond this machine without TLS: an attacker on the network can read everything."
    )
    var allowInsecureHTTP = false

    @Option(
        help: ArgumentHelp("A PEM file with the certificate chain, the server's first.", valueName: "file")
    )
    var tlsCert: FileArgument?

    @Option(help: ArgumentHelp("A PEM file with the certificate's private key.", valueName: "file"))
    var tlsKey: FileArgument?

    @Option(
        help: ArgumentHelp(
            "How long a session lasts after the login, used or not: 1 to 34560000 seconds.",
            valueName: "seconds"
        )
    )
    var sessionTTL = 3600

    @Flag(help: "Issue the bare minute, for legacy clients, instead of a challenge for a single login.")
    var minuteChallenge = false

    @Flag(
        help: """
            With --minute-challenge or --otp-file: state that no earlier server had these users. Without it, timestamped \
            logins are rejected for the first three minutes, and one-time codes for more than one, in which an attacker \
            could replay what an earlier server accepted.
            """
    )
    var firstStart = false

    @Option(help: ArgumentHelp("The time zone of the minutes (default: this machine's).", valueName: "id"))
    var timeZone: String?

    @Option(help: ArgumentHelp("The number of login attempts per account in five minutes.", valueName: "n"))
    var attempts = 10

    @Flag(help: "Accept a user name and a password in a URL, which logs may record.")
    var allowGetLogin = false

    @Option(
        help: ArgumentHelp(
            """
            A way to log in: form, scram, or timestamp, which is legacy and requires a key phrase; repeatable (default: \
            the page with --site; scram if the users file has a verifier of SCRAM-SHA-256, otherwise form).
            """,
            valueName: "mechanism"
        )
    )
    var mechanism: [ServerMechanism] = []

    @Option(
        help: ArgumentHelp(
            "A file with the key of SCRAM's answers for users who do not exist; it is created if there is none.",
            valueName: "file"
        )
    )
    var mockKeyFile: FileArgument?

    @Flag(help: "With --tls-cert: refuse logins by SCRAM that are not bound to the certificate.")
    var requireChannelBinding = false

    @Flag(help: "Tell clients whether a SCRAM verifier was made of a password or of a password-equivalent.")
    var mixedVerifiers = false

    @Flag(
        help:
            "After a login by SCRAM, accept a verifier of the password in place of one of a password-equivalent, in memory."
    )
    var replaceVerifiers = false

    @Flag(
        help:
            "After a login with a password, replace a hash that is weaker than the policy, in the users file or the table."
    )
    var replaceHashes = false

    @OptionGroup(title: "Users in PostgreSQL")
    var userTable: UserTableOptions

    @OptionGroup(title: "Several servers")
    var state: StateOptions

    @OptionGroup(title: "Reverse proxy")
    var proxyOptions: TrustedProxyOptions

    @OptionGroup(title: "Sites behind a reverse proxy")
    var page: PageOptions

    @OptionGroup(title: "Passkeys")
    var passkeyOptions: PasskeyServerOptions

    @OptionGroup(title: "Accounts")
    var accountOptions: AccountOptions

    @OptionGroup(title: "Operation")
    var operation: OperationOptions

    @Flag(name: .shortAndLong, help: "Do not log requests, and no summary of logins.")
    var quiet = false

    func validate() throws {
        guard (users == nil) != (userTable.usersDatabase == nil) else {
            throw ValidationError(
                "The users are in a file, --users, or in a table of PostgreSQL, --users-database: give one of them."
            )
        }
        guard users != nil || !mechanism.isEmpty || !page.site.isEmpty else {
            throw ValidationError(
                "--users-database requires --mechanism or --site, since it is not known what the table contains."
            )
        }
        if mechanism.contains(.timestamp) {
            try keyPhraseOptions.require()
        } else if minuteChallenge {
            throw ValidationError("--minute-challenge requires --mechanism timestamp.")
        }
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key must be given together.")
        }
        guard listen.isLoopback || tlsCert != nil || allowInsecureHTTP else {
            throw ValidationError(
                "To listen beyond this machine, give --tls-cert and --tls-key, or --allow-insecure-http."
            )
        }
        guard !firstStart || minuteChallenge || otpFile != nil else {
            throw ValidationError("--first-start requires --minute-challenge or --otp-file.")
        }
        guard (1...34_560_000).contains(sessionTTL) else {
            throw ValidationError("--session-ttl must be from 1 to 34560000 seconds.")
        }
        guard (1...1_000_000).contains(attempts) else {
            throw ValidationError("--attempts must be from 1 to 1000000.")
        }
        guard operation.metrics?.usesPort(of: listen) != true else {
            throw ValidationError("--metrics must be another address than --listen.")
        }
        if let option = optionsOfSCRAM.first, !mechanism.isEmpty || !page.site.isEmpty,
            !mechanism.contains(.scram)
        {
            throw ValidationError("\(option) requires --mechanism scram.")
        }
        try checkReplacing()
        guard !requireChannelBinding || tlsCert != nil else {
            throw ValidationError("--require-channel-binding requires --tls-cert.")
        }
        try page.check(with: self)
        try passkeyOptions.check(with: self)
        try accountOptions.check(with: self)
        if let timeZone { try WallClock.check(timeZone: timeZone) }
        let sources =
            [
                config?.descriptor, users?.descriptor, userTable.usersPasswordFile?.descriptor,
                otpFile?.descriptor, mockKeyFile?.descriptor, accountOptions.passwordBlocklist?.descriptor,
            ].compactMap { $0 }
            + keyPhraseOptions.descriptors + state.descriptors
        guard Set(sources).count == sources.count else {
            throw ValidationError(
                "The key phrase and the files cannot be the same input; provide one of them in another way."
            )
        }
    }

    static func main() {
        ProcessSetup.apply(loadsOpenSSL: true)
        // It asks for a reload, also while the server is starting.
        signal(SIGHUP, SIG_IGN)
        StandardStreams.reserve()
        let arguments = RawArguments.commandLine
        // The options of a subcommand cannot be those of the main command, of which some are required.
        let subcommand: (any ParsableCommand.Type)? =
            switch arguments.first {
            case "check": CheckCommand.self
            case "init": InitCommand.self
            case "passkeys": PasskeysCommand.self
            case "schema": SchemaCommand.self
            case "users": UsersCommand.self
            default: nil
            }
        let root = subcommand ?? Self.self
        do {
            let rest = subcommand == nil ? arguments : Array(arguments.dropFirst())
            var command = try ServerArguments.parse(root, rest)
            try command.run()
        } catch {
            if let failure = CommandFailure(reportingLibrary: error) {
                CommandExit.leave(failure, from: "credkit-server")
            }
            CommandExit.leave(error, from: root, arguments)
        }
    }

    /// The log of the server.
    var log: ServerLog { ServerLog(format: operation.logFormat, isQuiet: quiet) }

    /// The certificate and the key.
    var tlsFiles: TLSFiles? {
        guard let tlsCert, let tlsKey else { return nil }
        return TLSFiles(certificate: tlsCert, key: tlsKey)
    }
}
