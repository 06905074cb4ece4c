// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// `credkit login`: logs in to a server, and saves the session for `credkit request`.
struct LoginCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in to a server and save the session.",
        discussion: """
            For instance:
              printf 654321 | credkit login http://localhost:8080 --user bob \\
                --key-phrase itheima
              credkit login https://data.school.example --user bob

            See 'credkit help login' for the ways to log in, with examples.

            The password is saved in the keychain for renewals, and cookies and tokens in an encrypted file. \
            'credkit logout' removes all of them.

            The exit status is 64 when you must choose the way, 75 after too many attempts, and 77 when the login is \
            refused.
            """
    )

    @Argument(
        help: ArgumentHelp("The server's URL, with its base path.", valueName: "url")
    )
    var server: TextArgument

    @OptionGroup(title: "How to log in")
    var profileOptions: LoginProfileOptions

    @OptionGroup(title: "In the browser")
    var oauthOptions: OAuthOptions

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup(title: "Session")
    var sessionOptions: LoginSessionOptions

    @Flag(name: .shortAndLong, help: "Do not report success.")
    var quiet = false

    @Flag(help: "Print one JSON object (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Keychain")
    var keychainOptions: SessionKeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    /// The output of `--json`.
    private struct Result: Encodable {
        let session: String
        let server: String
        let account: String
        let renews: Bool
        let timeOffsetMinutes: Int?
    }

    /// The user name; `nil` if none is given.
    var user: TextArgument? { profileOptions.user }

    func validate() throws {
        _ = try credentialOrigins()
        guard user?.text.utf8.contains(UInt8(ascii: ":")) != true else {
            throw ValidationError(
                "--user takes a name without ':' and without the password, which all users of this machine could "
                    + "see: give it with --password-file or --password-fd, at the prompt, or on standard input."
            )
        }
        try InputSources.check(passwordOptions, profileOptions, connection, keychainOptions)
    }

    /// The server's own origin and those of the command line.
    private func credentialOrigins() throws -> Set<Origin> {
        let servers = [server] + sessionOptions.credentialOrigin
        return Set(try servers.map { try ConnectionOptions.url($0.text).origin })
            .union(try profileOptions.origins())
    }

    /// The same, if they contain the profile's server, which receives the password.
    private func credentialOrigins(of profile: LoginProfile) throws -> Set<Origin> {
        let origins = try credentialOrigins()
        guard let loginServer = try profile.server.map({ try Origin($0) }), !origins.contains(loginServer)
        else {
            return origins
        }
        throw ValidationError(
            "The profile sends the password to \(loginServer). If that is intended, give "
                + "--credential-origin \(loginServer)."
        )
    }

    func execute() async throws {
        // A mistake in a profile is reported before the keychain is unlocked.
        let given = try profileOptions.read()
        let keychain = try await keychainOptions.keychain()
        var configuration = try await connection.configuration { keychain }
        configuration.notice = { StandardStreams.report($0) }
        let stored = try await storedSession(keychain)
        // Otherwise the password and the cookies of the session would go to a server that the session does not trust.
        try stored?.trust.fill(&configuration.connection)
        let url = try HTTPURL(server.text)
        let earlier = sessionOptions.allowMechanismDowngrade ? nil : stored?.mechanism
        var profile =
            if let given {
                given
            } else {
                try await profileOptions.discover(
                    at: url,
                    configuration,
                    replacing: earlier,
                    dpop: oauthOptions.dpop?.mode
                )
            }
        try oauthOptions.fill(&profile, isDiscovered: given == nil)
        let way = try way(for: profile)
        let account = try self.account(for: profile, stored)
        try connection.reportUnusedResolution(of: url)
        configuration.name = sessionOptions.session?.text
        configuration.allowsMechanismDowngrade = sessionOptions.allowMechanismDowngrade
        configuration.credentialOrigins = try credentialOrigins(of: profile)
        configuration.revokesUnsavedTokens = true
        let codes = LoginCodeSource(service: profileOptions.otp?.text, keychain: keychain)
        configuration.oneTimeCode = codes.code
        let session = try LoginSession(
            server: server.text,
            profile: profile,
            keychain: keychain,
            configuration: configuration
        )
        // The state of the earlier login, such as the offset of the server's clock.
        if stored != nil { try await session.restore() }
        if let offset = profileOptions.acceptedTimeOffset { session.trustServerUTCOffset(offset.duration) }
        let password =
            way == .secret
            ? try passwordOptions.read(isNew: false, prompt: prompt(for: profile, account, url)) : nil
        do throws(ClientError) {
            if let password {
                try await session.logIn(
                    username: account,
                    password: password,
                    savesPassword: !sessionOptions.noSave
                )
            } else {
                try await logIn(session, account, way, profile)
            }
            try await session.flush()
        } catch {
            if let failure = codes.failure { throw failure }
            throw CommandFailure(ofLogin: error, as: account, secret: password)
        }
        if let path = await profile.publicCheckPath(at: server.text, configuration) {
            let secret = profile.secretKind == .token ? "token" : "password"
            StandardStreams.report(
                ShellQuoting.escapingUnprintable(
                    "the server answers \(path) without a login, so the \(secret) was not checked: name a path that needs "
                        + "one in a profile (\"checkPath\"; see 'credkit help login')"
                )
            )
        }
        let saved = try? await LoginSession.savedSession(named: session.name, in: keychain)
        try report(session, account, renews: saved?.renews ?? false)
    }

    /// Returns the earlier login of the same user that this one replaces; `nil` if there is none.
    private func storedSession(_ keychain: Keychain) async throws -> SavedSession? {
        let url = try HTTPURL(server.text)
        let sessionName = sessionOptions.session?.text ?? url.origin.description
        let name = ShellQuoting.escapingUnprintable("'\(sessionName)'")
        let stored: SavedSession?
        do throws(ClientError) {
            stored = try await LoginSession.savedSession(named: sessionName, in: keychain)
        } catch {
            guard error == .storage else { throw error }
            StandardStreams.report("the session \(name) is damaged and will be replaced")
            return nil
        }
        guard let stored else { return nil }
        // Servers compare names as bytes: two encodings of an accent are two users.
        guard stored.server.utf8.elementsEqual(url.absoluteString.utf8),
            user.map({ stored.account.utf8.elementsEqual($0.text.utf8) }) ?? true
        else {
            let owner = ShellQuoting.escapingUnprintable("\(stored.account) at \(stored.server)")
            throw CommandFailure(
                .cannotCreate,
                "the session \(name) belongs to \(owner): log out first, or choose another --session"
            )
        }
        return stored
    }

    private func report(_ session: LoginSession, _ account: String, renews: Bool) throws {
        let url = try HTTPURL(server.text)
        let offset = session.serverUTCOffset.map { TimeOffsetArgument($0) }
        if json {
            let result = Result(
                session: session.name,
                server: url.absoluteString,
                account: account,
                renews: renews,
                timeOffsetMinutes: offset?.minutes
            )
            try StandardStreams.write(JSONLine(encoding: result).bytes)
        } else if !quiet {
            let name = user == nil ? "with a token" : "as \(account)"
            StandardStreams.report(ShellQuoting.escapingUnprintable("logged in to \(url) \(name)"))
            if let offset {
                StandardStreams.report("the server's clock is at UTC\(offset)")
            }
            if !session.missingScope.isEmpty {
                StandardStreams.report(
                    "the server did not grant: \(session.missingScope.joined(separator: " "))"
                )
            }
        }
    }
}
