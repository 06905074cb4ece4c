// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

/// The URL of a Redis server, or of the Sentinels that know it.
///
/// - `redis://HOST:PORT` and, with TLS, `rediss://HOST:PORT`
/// - `unix:///PATH`
/// - `redis+sentinel://HOST:PORT,HOST:PORT/NAME` and `rediss+sentinel://…`
///
/// `USER@` may precede the host. A password is refused: command lines and logs show URLs.
struct RedisAddress: Sendable, Hashable {
    /// Why a text is not an address.
    struct Failure: Error, Hashable {
        let message: String
        init(_ message: String) { self.message = message }
    }

    /// The server, or the Sentinels.
    let endpoints: [RedisEndpoint]
    /// The name under which Sentinels know the primary; `nil` without Sentinels.
    let primaryName: String?
    /// Whether connections are encrypted.
    let usesTLS: Bool
    /// The user to log in as; `nil` if the URL has none.
    let user: String?

    private static let schemes: [String: (usesTLS: Bool, hasSentinels: Bool)] = [
        "redis": (false, false), "rediss": (true, false), "redis+sentinel": (false, true),
        "rediss+sentinel": (true, true),
    ]
    private static let port = 6379
    private static let sentinelPort = 26_379
    private static let maximumSentinels = 32

    init(_ text: String) throws(Failure) {
        guard text.utf8.count <= 4096, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw Failure("a URL has printable ASCII characters only")
        }
        guard let (scheme, rest) = Self.split(text, at: "://") else {
            throw Failure("a URL begins with redis://")
        }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw Failure("the URL of Redis takes no parameters; use the options of the command")
        }
        if scheme == "unix" {
            guard rest.hasPrefix("/"), rest.utf8.count <= 107 else {
                throw Failure("the path of a Unix socket is absolute and has at most 107 bytes: unix:///PATH")
            }
            self.init(endpoints: [.socket(String(rest))], primaryName: nil, usesTLS: false, user: nil)
            return
        }
        guard let kind = Self.schemes[String(scheme)] else {
            throw Failure("the scheme is none of redis, rediss, redis+sentinel, rediss+sentinel and unix")
        }
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count + 1)
        let parts = Self.splitLast(authority, at: "@")
        let user = try parts.user.map { text throws(Failure) in try Self.user(text) }
        let texts = parts.hosts.split(separator: ",", omittingEmptySubsequences: false)
        guard texts.count == 1 || kind.hasSentinels, texts.count <= Self.maximumSentinels else {
            throw Failure("only Sentinels can be several, at most \(Self.maximumSentinels)")
        }
        var endpoints: [RedisEndpoint] = []
        for text in texts {
            endpoints.append(try Self.endpoint(text, port: kind.hasSentinels ? Self.sentinelPort : Self.port))
        }
        if kind.hasSentinels {
            guard Self.isName(path) else {
                throw Failure("the name of the primary is missing: redis+sentinel://HOST:PORT,HOST:PORT/NAME")
            }
        } else if !path.isEmpty, path != "0" {
            throw Failure("only the database 0 can be used")
        }
        self.init(
            endpoints: endpoints,
            primaryName: kind.hasSentinels ? String(path) : nil,
            usesTLS: kind.usesTLS,
            user: user
        )
    }

    private init(endpoints: [RedisEndpoint], primaryName: String?, usesTLS: Bool, user: String?) {
        self.endpoints = endpoints
        self.primaryName = primaryName
        self.usesTLS = usesTLS
        self.user = user
    }

    private static func user(_ text: Substring) throws(Failure) -> String {
        guard !text.contains(":") else {
            throw Failure(
                "a URL must not contain a password, because command lines and logs show it; use --state-password-file"
            )
        }
        guard let bytes = PercentText.decode(text) else {
            throw Failure("the user name is not percent-encoded correctly")
        }
        guard !bytes.isEmpty, let user = String(validating: bytes, as: UTF8.self) else {
            throw Failure("the user name is empty or not UTF-8")
        }
        return user
    }

    private static func split(_ text: String, at mark: String) -> (Substring, Substring)? {
        guard let range = text.firstRange(of: mark) else { return nil }
        return (text[..<range.lowerBound], text[range.upperBound...])
    }

    private static func splitLast(_ text: Substring, at mark: Character) -> (
        user: Substring?, hosts: Substring
    ) {
        guard let index = text.lastIndex(of: mark) else { return (nil, text) }
        return (text[..<index], text[text.index(after: index)...])
    }
}

/// Where a Redis server or a Sentinel accepts connections.
enum RedisEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address without brackets, and a port.
    case host(String, Int)
    /// The path of a Unix socket.
    case socket(String)

    var description: String {
        switch self {
        case .host(let host, let port):
            host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .socket(let path): path
        }
    }

    /// Whether only this machine can be reached there.
    var isLoopback: Bool {
        switch self {
        case .host(let host, _): RedisAddress.isLoopback(host)
        case .socket: true
        }
    }
}

/// How a connection to Redis is protected.
enum RedisSecurity: Sendable {
    /// By TLS, with a verified server.
    case tls(RedisTLS)
    /// Not at all, and the server must be on this machine.
    case unencryptedOnThisMachine
    /// Not at all.
    case unencrypted
}
