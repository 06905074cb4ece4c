// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// Opens the session that sends a request.
struct RequestSession {
    /// The name of the session; `nil` for that of the URL's server.
    let name: TextArgument?
    /// Whether the request is sent without a login.
    let isAnonymous: Bool
    let usesCache: Bool
    /// Shows what is sent and received; `nil` for nothing.
    let trace: (@Sendable (String) -> Void)?
    /// Signs the request; `nil` for none.
    let signer: RequestSigner?
    let connection: ConnectionOptions
    let keychainOptions: SessionKeychainOptions

    /// Returns the saved session. If none was named and there is none, returns one without a login.
    ///
    /// - Parameter url: The URL of the request; `nil` if it is relative to the server of the session that was named.
    /// - Returns: The session.
    /// - Throws: An error of the keychain or the session; ``CommandFailure`` if there is no session of the name.
    func open(for url: HTTPURL?) async throws -> LoginSession {
        let keychain = try await keychain(for: url)
        var configuration = try await connection.configuration {
            if let keychain { return keychain }
            return try await keychainOptions.keychain()
        }
        if let url { try connection.reportUnusedResolution(of: url) }
        var cache = CacheConfiguration.standard
        // The process ends after the answer, and a request in the background with it.
        cache.refreshesInBackground = false
        configuration.cache = usesCache ? cache : nil
        configuration.signer = signer
        configuration.trace = trace
        if let keychain, let saved = savedName(for: url) {
            let stored = try await LoginSession.open(
                named: saved,
                in: keychain,
                configuration: configuration
            )
            if let stored {
                if url == nil { try connection.reportUnusedResolution(of: stored.server) }
                return stored
            }
        }
        guard name == nil, let url else { throw missing }
        configuration.name = "anonymous"
        return try LoginSession(
            server: url.origin.description,
            profile: .form(),
            keychain: nil,
            configuration: configuration
        )
    }

    private func savedName(for url: HTTPURL?) -> String? { name?.text ?? url?.origin.description }

    /// Opens the keychain, unless there is no session to read from it: its passphrase is asked only if needed.
    private func keychain(for url: HTTPURL?) async throws -> Keychain? {
        guard !isAnonymous, let saved = savedName(for: url) else { return nil }
        if await LoginSession.isMissing(named: saved) {
            if name != nil { throw missing }
            return nil
        }
        return try await keychainOptions.keychain()
    }

    /// A request that was meant for a login must not go without one.
    private var missing: CommandFailure {
        let text = ShellQuoting.escapingUnprintable(name?.text ?? "")
        return CommandFailure(
            .usage,
            "there is no session '\(text)', and nothing was sent ('credkit login URL --session NAME' creates one, "
                + "'credkit sessions' lists them, and --anonymous sends without a login)"
        )
    }
}
