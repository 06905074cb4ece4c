// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The user's browser, as the environment names it.
///
/// ```swift
/// try SystemBrowser().open(url)
/// ```
public struct SystemBrowser: Sendable {
    /// How a user can log in.
    public enum Choice: Sendable, Equatable {
        /// In the browser that this program starts: its name, and arguments. `%s` in one of them stands for the URL; otherwise
        /// the URL is the last argument.
        case open(arguments: [String])
        /// With another device: there is no display, or it is that of another computer.
        case deviceFlow
    }

    /// The variables of the environment that decide.
    package static let variables = [
        "BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "WSL_DISTRO_NAME", "WSL_INTEROP",
    ]

    /// The length of the longest URL in bytes.
    static let maximumByteCount = 8192

    /// Those that need a terminal, which a program in the background has not.
    private static let terminalBrowsers: Set = ["elinks", "links", "links2", "lynx", "w3m", "www-browser"]

    /// How the user can log in.
    public let choice: Choice

    /// Finds out how the user of this process can log in.
    public init() {
        var environment: [String: String] = [:]
        for name in Self.variables { environment[name] = Environment.value(name) }
        choice = Self.choice(environment: environment)
    }

    /// A browser that was chosen.
    ///
    /// - Parameter choice: The choice.
    public init(_ choice: Choice) { self.choice = choice }

    /// Decides how a user can log in.
    ///
    /// `BROWSER` counts before all else: editors with windows on another computer set it, and bring the answer back.
    ///
    /// - Parameter environment: The ``variables`` that are set.
    /// - Returns: The choice.
    package static func choice(environment: [String: String]) -> Choice {
        func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
        let commands = (environment["BROWSER"] ?? "").split(separator: ":").map { command in
            command.split(separator: " ").map(String.init)
        }
        let first = commands.first { command in
            guard let program = command.first?.split(separator: "/").last else { return false }
            return !terminalBrowsers.contains(String(program))
        }
        if let first { return .open(arguments: first) }
        // The display of an SSH connection is on another computer, whose browser would look for the answer there.
        if isSet("SSH_CONNECTION") { return .deviceFlow }
        if isSet("WSL_DISTRO_NAME") || isSet("WSL_INTEROP") { return .open(arguments: ["wslview"]) }
        // Without a display, xdg-open starts a browser in the terminal.
        guard isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") else { return .deviceFlow }
        return .open(arguments: ["xdg-open"])
    }

    /// Opens a page. Returns before the browser has shown it, and does not notice if the browser fails: show the URL to the
    /// user as well, but write it to no log.
    ///
    /// - Parameter url: The page, over https or on this computer.
    /// - Throws: ``ClientError/browserUnavailable`` if there is no browser, or it cannot be started;
    ///   ``ClientError/insecureConnection`` for a URL of another computer over http, and ``ClientError/invalidURL`` for one of more
    ///   than 8 KiB.
    public func open(_ url: HTTPURL) throws(ClientError) {
        let words = try arguments(for: url)
        do throws(SystemError) {
            try DetachedProgram.start(
                words,
                without: "CREDKIT_PASSPHRASE",
                "cannot open a browser with \(words.first ?? "")"
            )
        } catch {
            throw .browserUnavailable(error.description)
        }
    }

    /// Returns the program and its arguments that show a page.
    func arguments(for url: HTTPURL) throws(ClientError) -> [String] {
        guard case .open(var arguments) = choice else {
            throw .browserUnavailable("cannot open a browser: there is no display of this computer")
        }
        guard url.origin.isSecure || url.origin.isLoopback else {
            throw .insecureConnection("refusing to open \(url) in a browser: it is not https")
        }
        let text = url.absoluteString
        guard text.utf8.count <= Self.maximumByteCount else {
            throw .invalidURL("refusing to open \(url) in a browser: it has more than 8 KiB")
        }
        let hasPlace = arguments.dropFirst().contains { $0.contains("%s") }
        guard hasPlace else { return arguments + [text] }
        for index in arguments.indices.dropFirst() {
            arguments[index] = arguments[index].replacing("%s", with: text)
        }
        return arguments
    }
}
