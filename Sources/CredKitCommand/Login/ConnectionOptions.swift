// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// How a server is reached.
struct ConnectionOptions: ParsableArguments {
    @Flag(
        name: .customLong("allow-insecure-http"),
        help: """
            Let requests go in clear to other computers and through proxies: whoever is on the way reads and changes them.
            """
    )
    var allowInsecureHTTP = false

    @OptionGroup
    var certificates: CertificateOptions

    @Option(
        help: ArgumentHelp(
            "Connect to this address for a host and a port; may be repeated. A proxy resolves names itself.",
            valueName: "host:port:address"
        )
    )
    var resolve: [TextArgument] = []

    @Option(
        help: ArgumentHelp(
            "Connect to this Unix socket in place of the URL's host and port, without a proxy.",
            valueName: "path"
        )
    )
    var unixSocket: FileArgument?

    @OptionGroup
    var proxyOptions: ProxyOptions

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
        guard unixSocket == nil || (proxyOptions.proxy == nil && resolve.isEmpty) else {
            throw ValidationError("--unix-socket goes with neither --proxy nor --resolve.")
        }
        _ = try settings()
    }

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] { certificates.descriptors + proxyOptions.descriptors }

    private var deadlines: Deadlines {
        var deadlines = Deadlines()
        guard let timeout else { return deadlines }
        deadlines.total = timeout.duration
        deadlines.idle = timeout.duration
        deadlines.connect = min(deadlines.connect, timeout.duration)
        return deadlines
    }

    /// What a session is made with; its name is left open.
    ///
    /// - Parameter keychain: Gets the keychain that has the proxy's password if the command line does not say where that
    ///   is; `nil` where a command has no keychain.
    /// - Returns: The configuration.
    /// - Throws: What is wrong with the files that the command line names, before anything is sent.
    func configuration(
        keychain: (() async throws -> Keychain)? = nil
    ) async throws -> LoginSession.Configuration {
        var configuration = LoginSession.Configuration()
        configuration.allowsInsecureHTTP = allowInsecureHTTP
        configuration.deadlines = deadlines
        configuration.logger = StandardErrorLog.logger(logLevel)
        configuration.connection = try settings()
        try configuration.connection.check()
        if let proxy = try await proxyOptions.proxyWithPassword(keychain) {
            configuration.connection.proxy = .proxyHonoringNoProxy(proxy)
        }
        return configuration
    }

    /// What the command line says, without the proxy's password.
    private func settings() throws -> ConnectionSettings {
        var settings = ConnectionSettings()
        do throws(LoginError) {
            for text in resolve { settings.resolutions.append(try HostResolution(text.text)) }
        } catch {
            throw ValidationError("--resolve: \(error.description).")
        }
        try certificates.fill(&settings)
        settings.unixSocketPath = try unixSocket?.text()
        settings.proxy = try proxyOptions.selection()
        return settings
    }

    /// Tell that a resolution of a server has no effect, since a proxy resolves its name.
    func reportUnusedResolution(of url: HTTPURL) throws {
        guard !resolve.isEmpty else { return }
        let routes = ConnectionRoutes(try settings())
        guard let proxy = routes.proxyInPlaceOfResolution(of: url.origin) else { return }
        StandardStreams.report(
            "the proxy \(proxy) resolves '\(url.origin.host)' itself: --resolve has no effect on it"
        )
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
