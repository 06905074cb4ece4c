// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The URL at which a program on this computer receives the answer of an authorization server, as it is registered there
/// ([RFC 8252](https://www.rfc-editor.org/rfc/rfc8252), section 7.3).
struct LoopbackRedirect: Sendable, Hashable, CustomStringConvertible {
    /// The URL as it was given.
    let description: String
    /// `127.0.0.1`, `[::1]` or `localhost`.
    let host: String
    /// The registered port; `nil` if any is allowed.
    let port: UInt16?
    /// The path, which begins with a slash.
    let path: String
    /// The path as it was given, which may be empty.
    private let pathText: Substring

    /// Parses a URL.
    ///
    /// - Parameter text: `http://`, then `127.0.0.1`, `[::1]` or `localhost`, perhaps a port, and a path. Without a port, the
    ///   system chooses one at each login.
    /// - Throws: ``ClientError/invalidURL``.
    init(_ text: String) throws(ClientError) {
        let url = try HTTPURL(text)
        let origin = url.origin
        guard !origin.isSecure, ["127.0.0.1", "[::1]", "localhost"].contains(origin.host) else {
            throw .invalidURL(
                "invalid redirect URL: it must begin with http://127.0.0.1, http://[::1] or http://localhost"
            )
        }
        let start = "http://\(origin.host)"
        let hasPort = text.hasPrefix("\(start):\(origin.port)")
        let rest = text.dropFirst(hasPort ? "\(start):\(origin.port)".count : start.count)
        // The server compares the text, so nothing may be spelled in another way than the browser sends it.
        guard text.hasPrefix(start), rest.isEmpty || rest == url.path else {
            throw .invalidURL(
                "invalid redirect URL: write it as \(start)\(hasPort ? ":\(origin.port)" : "")\(url.path)"
            )
        }
        description = text
        host = origin.host
        port = hasPort ? origin.port : nil
        path = url.path
        pathText = rest
    }

    /// Where to listen.
    var listeningHost: LoopbackListener.Host {
        switch host {
        case "localhost": .both
        case "[::1]": .ipv6
        default: port == nil ? .ipv4OrIPv6 : .ipv4
        }
    }

    /// Returns the origin of the URL with a port.
    ///
    /// - Parameters:
    ///   - port: The port at which the program listens.
    ///   - hasIPv4: Whether it listens on 127.0.0.1.
    /// - Returns: The origin.
    func origin(port: UInt16, hasIPv4: Bool) -> Origin {
        Origin(isSecure: false, host: host == "127.0.0.1" && !hasIPv4 ? "[::1]" : host, port: port)
    }

    /// Returns the URL to send to the server.
    ///
    /// - Parameter origin: The origin at which the program listens.
    /// - Returns: The URL with the port of the origin, or the given one if that has a port.
    func url(at origin: Origin) -> String { port == nil ? "\(origin)\(pathText)" : description }
}
