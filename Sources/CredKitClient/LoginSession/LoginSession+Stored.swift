// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitKeychain

extension LoginSession {
    /// The names of all sessions that are kept.
    ///
    /// - Parameter keychain: The keychain that has their keys.
    /// - Returns: The names.
    /// - Throws: ``LoginError/keychain``.
    public static func storedNames(in keychain: Keychain) async throws(LoginError) -> [String] {
        try await SessionKey.names(in: keychain)
    }

    /// What is kept of a session.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - keychain: The keychain that has its key.
    ///   - folder: The folder of the sealed files; `nil` for `$XDG_STATE_HOME/credkit/sessions`.
    /// - Returns: `nil` if there is no session of that name.
    /// - Throws: ``LoginError/keychain``, and ``LoginError/storage`` for a damaged file.
    public static func stored(
        name: String,
        in keychain: Keychain,
        folder: String? = nil
    ) async throws(LoginError) -> StoredLogin? {
        guard let contents = try await contents(name: name, in: keychain, folder: folder) else { return nil }
        return StoredLogin(
            name: name,
            server: contents.server,
            account: contents.account,
            savesPassword: contents.savesPassword
        )
    }

    /// The session of a name, with the server and the profile that it was logged in with.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - keychain: The keychain that has its key.
    ///   - configuration: What can be set. Its name, its service, its credential origins and whether it allows plain http
    ///     are those of the session that was kept.
    ///   - transport: What carries the requests; libcurl if `nil`.
    /// - Returns: The session, logged in as far as is known here; `nil` if there is none of that name.
    /// - Throws: ``LoginError/keychain``, and ``LoginError/storage`` for a damaged file.
    public static func restored(
        name: String,
        in keychain: Keychain,
        configuration: Configuration = Configuration(),
        transport: (any HTTPTransport)? = nil
    ) async throws(LoginError) -> LoginSession? {
        guard let contents = try await contents(name: name, in: keychain, folder: configuration.folder) else {
            return nil
        }
        var configuration = configuration
        configuration.name = name
        configuration.allowsInsecureHTTP = contents.allowsInsecureHTTP
        var origins: Set<Origin> = []
        for origin in contents.credentialOrigins { origins.insert(try Origin(origin)) }
        configuration.credentialOrigins = origins
        configuration.service = contents.service
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
    ) async throws(LoginError) -> SessionContents? {
        guard let key = try await SessionKey(name: name, in: keychain) else { return nil }
        return try await SessionFile(name: name, folder: folder).read(key: key)
    }
}
