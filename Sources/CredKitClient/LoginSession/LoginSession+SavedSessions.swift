// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitKeychain

extension LoginSession {
    /// Returns the names of all saved sessions.
    ///
    /// - Parameter keychain: The keychain that contains their keys.
    /// - Returns: The names.
    /// - Throws: ``ClientError/keychain``.
    public static func savedSessionNames(in keychain: Keychain) async throws(ClientError) -> [String] {
        try await SessionKey.names(in: keychain)
    }

    /// Returns a description of a saved session.
    ///
    /// - Parameters:
    ///   - name: The name of the session.
    ///   - keychain: The keychain that contains its key.
    ///   - folder: The folder of the encrypted session files; `nil` for `$XDG_STATE_HOME/credkit/sessions`.
    /// - Returns: The session; `nil` if there is no session with that name.
    /// - Throws: ``ClientError/keychain``; ``ClientError/storage`` if the file is damaged.
    public static func savedSession(
        named name: String,
        in keychain: Keychain,
        folder: String? = nil
    ) async throws(ClientError) -> SavedSession? {
        guard let contents = try await contents(name: name, in: keychain, folder: folder) else { return nil }
        let profile = try? LoginProfile(json: contents.profile)
        return SavedSession(
            name: name,
            server: contents.server,
            account: contents.account,
            savesPassword: contents.savesPassword,
            allowsInsecureHTTP: contents.allowsInsecureHTTP,
            secretKind: profile?.secretKind ?? .password,
            mechanism: profile?.mechanism.name,
            trust: contents.trust
        )
    }

    /// Whether no session of a name is saved, as far as can be told without the keychain.
    package static func isMissing(named name: String) async -> Bool {
        guard let file = try? SessionFile(name: name, folder: nil) else { return false }
        return await file.isMissing()
    }

    /// Opens a saved session with the server and the profile of its login.
    ///
    /// - Parameters:
    ///   - name: The name of the session.
    ///   - keychain: The keychain that contains its key.
    ///   - configuration: The settings. Name, service, credential origins and whether unencrypted http is
    ///     allowed come from the saved session instead, and so do pinned public keys and authorities, unless there are
    ///     others here. The session then keeps those of its login for later processes.
    ///   - transport: The transport for requests; libcurl if `nil`.
    /// - Returns: The session, logged in as far as is known locally; `nil` if there is no session with that
    ///   name.
    /// - Throws: ``ClientError/keychain``; ``ClientError/storage`` if the file is damaged; ``ClientError/insecureFile`` if
    ///   other users can change the session file, or that of the session's authorities.
    public static func open(
        named name: String,
        in keychain: Keychain,
        configuration: Configuration = Configuration(),
        transport: (any HTTPTransport)? = nil
    ) async throws(ClientError) -> LoginSession? {
        guard let contents = try await contents(name: name, in: keychain, folder: configuration.folder) else {
            return nil
        }
        var configuration = configuration
        configuration.name = name
        configuration.allowsInsecureHTTP = contents.allowsInsecureHTTP
        var origins: Set<Origin> = []
        for origin in contents.credentialOrigins { origins.insert(try Origin(origin)) }
        configuration.credentialOrigins = origins
        configuration.keychainService = contents.service
        // What made the login safer counts for later requests as well.
        // Only the transport of CredKit reads files.
        try contents.trust.fill(&configuration.connection, checksFiles: transport == nil)
        let session = try LoginSession(
            server: contents.server,
            profile: LoginProfile(json: contents.profile),
            keychain: keychain,
            configuration: configuration,
            transport: transport
        )
        return try await session.restore() ? session : nil
    }

    private static func contents(
        name: String,
        in keychain: Keychain,
        folder: String?
    ) async throws(ClientError) -> SessionContents? {
        guard let key = try await SessionKey(name: name, in: keychain) else { return nil }
        return try await SessionFile(name: name, folder: folder).read(key: key)
    }
}
