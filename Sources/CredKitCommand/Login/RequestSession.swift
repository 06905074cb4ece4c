// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitTerminal

/// Opens the session that sends a request.
struct RequestSession {
    /// The name of the session; `nil` for that of the URL's server.
    let name: TextArgument?
    /// Whether the request is sent without a login.
    let isAnonymous: Bool
    let usesCache: Bool
    /// Signs the request; `nil` for none.
    let signer: RequestSigner?
    let connection: ConnectionOptions
    let keychainOptions: SessionKeychainOptions

    /// Returns the saved session, or one without a login if there is none.
    func open(for url: HTTPURL) async throws -> LoginSession {
        let keychain = isAnonymous ? nil : try await keychainOptions.keychain()
        var configuration = try await connection.configuration {
            if let keychain { return keychain }
            return try await keychainOptions.keychain()
        }
        try connection.reportUnusedResolution(of: url)
        var cache = CacheConfiguration.standard
        // The process ends after the answer, and a request in the background with it.
        cache.refreshesInBackground = false
        configuration.cache = usesCache ? cache : nil
        configuration.signer = signer
        if let keychain {
            let stored = try await LoginSession.open(
                named: name?.text ?? url.origin.description,
                in: keychain,
                configuration: configuration
            )
            if let stored { return stored }
        }
        if let name {
            let name = ShellQuoting.escapingUnprintable(name.text)
            StandardStreams.report(
                "there is no session '\(name)': sending the request without a login; its cookies are not saved"
            )
        }
        configuration.name = "anonymous"
        return try LoginSession(
            server: url.origin.description,
            profile: .form(),
            keychain: nil,
            configuration: configuration
        )
    }
}
