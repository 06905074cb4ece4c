// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
