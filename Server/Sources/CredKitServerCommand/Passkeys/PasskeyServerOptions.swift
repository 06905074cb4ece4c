// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitServer
import CredKitTerminal

/// The options for passkeys at the page of `--site`.
struct PasskeyServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            With --site: users can log in with passkeys, which a single server keeps in this file. Passkeys are for the host of \
            the site, or for --cookie-domain, and are lost if that changes.
            """,
            valueName: "file"
        )
    )
    var passkeys: FileArgument?

    @Flag(
        help: "With --site: users can log in with passkeys, which are in the PostgreSQL database of --state."
    )
    var passkeysInState = false

    /// Whether users can log in with passkeys.
    var areGiven: Bool { passkeys != nil || passkeysInState }

    /// Checks what the options require of others.
    ///
    /// - Parameter server: The command.
    /// - Throws: `ValidationError`.
    func check(with server: CredKitServerCommand) throws {
        guard areGiven else {
            guard !server.mechanism.contains(.passkey) else {
                throw ValidationError("--mechanism passkey requires --passkeys or --passkeys-in-state.")
            }
            return
        }
        guard passkeys == nil || !passkeysInState else {
            throw ValidationError(
                "Passkeys are in a file, --passkeys, or in the database of --state, --passkeys-in-state: give one of them."
            )
        }
        let option = passkeysInState ? "--passkeys-in-state" : "--passkeys"
        guard let page = server.page.settings else {
            throw ValidationError("\(option) requires --site, whose users log in with passkeys.")
        }
        var hasDatabase = false
        if server.state.isShared, case .postgreSQL = try server.state.address() { hasDatabase = true }
        if let passkeys {
            guard passkeys.descriptor == nil else {
                throw ValidationError("--passkeys requires a file that has a name: it is written.")
            }
            guard !server.state.isShared else {
                throw ValidationError(
                    hasDatabase
                        ? "--passkeys is for a single server: with --state in PostgreSQL, give --passkeys-in-state."
                        : "--passkeys is for a single server, and Redis does not keep passkeys: use PostgreSQL for --state, and give "
                            + "--passkeys-in-state."
                )
            }
        } else if !hasDatabase {
            throw ValidationError(
                "--passkeys-in-state requires --state in PostgreSQL. Redis does not keep passkeys, and a single server keeps them in "
                    + "the file of --passkeys."
            )
        }
        _ = try Self.relyingParty(for: page)
    }

    /// Returns what passkeys are bound to: the domain of the cookie, or the host of the site.
    ///
    /// - Parameter page: The sites.
    /// - Returns: The site of the passkeys.
    /// - Throws: `ValidationError` if the sites have no domain in common.
    private static func relyingParty(for page: PageSettings) throws -> WebAuthn.RelyingParty {
        let domain = page.cookieDomain ?? page.sites[0].host
        for site in page.sites where site.host != domain && !site.host.hasSuffix(".\(domain)") {
            throw ValidationError(
                "Passkeys are for one domain, and \(site.text) is not under \(domain): give --cookie-domain, or run a server for "
                    + "each site."
            )
        }
        do throws(WebAuthn.Error) {
            return try WebAuthn.RelyingParty(id: domain, name: domain, origins: page.sites.map(\.text))
        } catch {
            throw ValidationError(
                "Passkeys require a site whose host is a domain, or localhost, and no address: '\(domain)' is none."
            )
        }
    }

    /// Opens the passkeys.
    ///
    /// - Parameters:
    ///   - page: The sites.
    ///   - shared: What several servers share; `nil` for a single server.
    ///   - isCheck: Whether no server is to start: the key is then that of the server that runs, if there is one.
    /// - Returns: The passkeys; `nil` if there are none.
    /// - Throws: ``CommandFailure`` or `LoginServerError` if they cannot be read or changed.
    func settings(
        for page: PageSettings,
        _ shared: SharedServerState?,
        isCheck: Bool
    ) async throws -> PasskeySettings? {
        guard areGiven else { return nil }
        let relyingParty = try Self.relyingParty(for: page)
        guard let file = passkeys else {
            guard let shared, let store = shared.passkeys else { return nil }
            let key = try shared.configuration.derivedKey(for: "passkeys")
            return PasskeySettings(relyingParty: relyingParty, store: store, key: key)
        }
        let store = FilePasskeyStore(path: file.display)
        // A damaged file must not show at the first login only.
        _ = try await store.state(ofAccountNamed: "")
        let keyFile = LinkKeyFile(beside: file)
        try keyFile.checkPlace()
        let key = try isCheck ? keyFile.read() : nil
        return PasskeySettings(
            relyingParty: relyingParty,
            store: store,
            key: try key ?? SecretBytes(randomByteCount: PasskeyMechanism.keyByteCount),
            file: file
        )
    }
}
