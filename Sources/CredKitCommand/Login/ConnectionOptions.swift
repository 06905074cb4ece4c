// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitKeychain
import CredKitTerminal
import Logging

/// The options for connections to a server.
struct ConnectionOptions: ParsableArguments, InputSource {
    @Flag(
        name: .customLong("allow-insecure-http"),
        help: """
            Allow unencrypted http to other computers and through proxies. Attackers on the network can read and \
            change such requests.
            """
    )
    var allowInsecureHTTP = false

    @OptionGroup
    var certificates: CertificateOptions

    @Option(
        help: ArgumentHelp(
            "Use this address for a host and a port; may be repeated. A proxy resolves names itself.",
            valueName: "host:port:address"
        )
    )
    var resolve: [TextArgument] = []

    @Option(
        help: ArgumentHelp(
            "Connect to this Unix socket instead of the URL's host and port, without a proxy.",
            valueName: "path"
        )
    )
    var unixSocket: FileArgument?

    @OptionGroup
    var proxyOptions: ProxyOptions

    @Option(
        help: ArgumentHelp(
            "The time limit for a request, including its redirects and its response: 30s, 2m.",
            valueName: "time"
        )
    )
    var timeout: TimeArgument?

    @Option(help: "Log the client's actions, from this level on. No password, token or cookie is logged.")
    var logLevel: LogLevelArgument?

    func validate() throws {
        guard unixSocket == nil || (proxyOptions.proxy == nil && resolve.isEmpty) else {
            throw ValidationError("--unix-socket cannot be combined with --proxy or --resolve.")
        }
        _ = try settings()
    }

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { certificates.descriptors + proxyOptions.descriptors }

    private var timeouts: Timeouts {
        var timeouts = Timeouts()
        guard let timeout else { return timeouts }
        timeouts.total = timeout.duration
        timeouts.idle = timeout.duration
        timeouts.connect = min(timeouts.connect, timeout.duration)
        return timeouts
    }

    /// Returns the configuration of a session, without its name.
    ///
    /// - Parameter keychain: Opens the keychain that stores the proxy's password, called if the command line names no
    ///   other source; `nil` if the command has no keychain.
    /// - Returns: The configuration.
    /// - Throws: An error in the files that the command line names, before anything is sent.
    func configuration(
        keychain: (() async throws -> Keychain)? = nil
    ) async throws -> LoginSession.Configuration {
        var configuration = LoginSession.Configuration()
        configuration.allowsInsecureHTTP = allowInsecureHTTP
        configuration.timeouts = timeouts
        configuration.logger = StandardErrorLog.logger(logLevel)
        try certificates.refuseIfOthersCanChange()
        configuration.connection = try settings()
        try configuration.connection.validate()
        if let proxy = try await proxyOptions.proxyWithPassword(keychain) {
            configuration.connection.proxy = .proxyHonoringNoProxy(proxy)
        }
        return configuration
    }

    /// Returns the settings of the command line, without the proxy's password.
    private func settings() throws -> ConnectionSettings {
        var settings = ConnectionSettings()
        do throws(ClientError) {
            for text in resolve { settings.resolutions.append(try HostResolution(text.text)) }
        } catch {
            throw ValidationError("--resolve: \(error.description).")
        }
        try certificates.fill(&settings)
        settings.unixSocketPath = try unixSocket?.text()
        settings.proxy = try proxyOptions.selection()
        return settings
    }

    /// Reports that `--resolve` has no effect on a server because a proxy resolves its name.
    func reportUnusedResolution(of url: HTTPURL) throws {
        guard !resolve.isEmpty else { return }
        let routes = ConnectionRoutes(try settings())
        guard let proxy = routes.proxyInPlaceOfResolution(of: url.origin) else { return }
        StandardStreams.report(
            "the proxy \(proxy) resolves '\(url.origin.host)' itself: --resolve has no effect on it"
        )
    }

    /// The message on a URL that cannot be used.
    static func message(ofURL error: ClientError) -> String {
        "Invalid URL: \(error.description.replacing("invalid URL: ", with: ""))."
    }

    /// Parses a URL of the command line.
    static func url(_ text: String) throws -> HTTPURL {
        do throws(ClientError) {
            return try HTTPURL(text)
        } catch {
            // The message omits the text, which may contain a password.
            let message = Self.message(ofURL: error)
            guard text.utf8.contains(UInt8(ascii: "@")) else { throw ValidationError(message) }
            throw ValidationError(
                message
                    + " All users of this machine can see it: log in with 'credkit login --user NAME', which "
                    + "reads the password from --password-file, --password-fd or standard input, or give a header "
                    + "in a file with 'credkit request -H @FILE'."
            )
        }
    }
}

/// The lowest level of the client's log that is shown.
enum LogLevelArgument: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .error }
}

/// Writes a log to standard error, one line per event.
struct StandardErrorLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(_ level: Logger.Level) { logLevel = level }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let members = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let texts = members.sorted { $0.key < $1.key }.map { " \($0.key)='\($0.value)'" }
        StandardStreams.report(
            ShellQuoting.escapingUnprintable("\(event.level): \(event.message)\(texts.joined())")
        )
    }

    /// Returns the logger of a command, which logs nothing without a level.
    static func logger(_ level: LogLevelArgument?) -> Logger {
        guard let level else { return Logger(label: "credkit") { _ in SwiftLogNoOpLogHandler() } }
        return Logger(label: "credkit") { _ in StandardErrorLog(level.level) }
    }
}
