// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The proxies that environment variables name, read as curl does (`man curl`, ENVIRONMENT).
///
/// `http_proxy` applies to http, `https_proxy` or `HTTPS_PROXY` to https, and `all_proxy` or `ALL_PROXY` to
/// both if the former are not set. `no_proxy` or `NO_PROXY` lists the hosts to reach without a proxy. The
/// lowercase name takes precedence, and an empty variable counts as not set. `HTTP_PROXY` is never read,
/// because web servers set it from a request header for CGI programs. Loopback is never reached through one
/// of these proxies, because it would be the proxy's own computer.
public struct ProxyEnvironment: Sendable, Hashable {
    /// The value of a variable.
    private enum Entry: Sendable, Hashable {
        case proxy(Proxy)
        /// The message of the error, including the name of the variable.
        case malformed(String)
        case outOfMemory
    }

    private let plain: Entry?
    private let secure: Entry?
    /// The hosts that are reached without a proxy.
    let excluded: NoProxyList?

    /// Reads the variables of this process.
    public static var current: ProxyEnvironment { ProxyEnvironment(reading: Self.variable) }

    /// Reads the given variables.
    ///
    /// - Parameter environment: Names and values. A malformed value is reported when a request would use it.
    public init(environment: [String: String]) { self.init(reading: { environment[$0] }) }

    private init(reading variable: (String) -> String?) {
        let all = ["all_proxy", "ALL_PROXY"]
        plain = Self.first(of: ["http_proxy"] + all, variable).map(Self.entry)
        secure = Self.first(of: ["https_proxy", "HTTPS_PROXY"] + all, variable).map(Self.entry)
        excluded = Self.first(of: ["no_proxy", "NO_PROXY"], variable).map { NoProxyList($0.value) }
    }

    /// Returns the proxy for an origin; `nil` to connect without one.
    ///
    /// - Throws: ``ClientError/invalidRequest`` if the variable that names the proxy is malformed.
    func proxy(for origin: Origin) throws(ClientError) -> Proxy? {
        guard let entry = origin.isSecure ? secure : plain, !origin.isLoopback,
            excluded?.contains(origin.host) != true
        else { return nil }
        switch entry {
        case .proxy(let proxy): return proxy
        case .malformed(let message): throw .invalidRequest(message)
        case .outOfMemory: throw .outOfMemory
        }
    }

    private static func first(
        of names: [String],
        _ variable: (String) -> String?
    ) -> (name: String, value: String)? {
        for name in names {
            if let value = variable(name), !value.isEmpty { return (name, value) }
        }
        return nil
    }

    private static func entry(name: String, value: String) -> Entry {
        do throws(ClientError) {
            return .proxy(try ProxyText(value).proxy())
        } catch {
            guard error == .invalidRequest else { return .outOfMemory }
            return .malformed("cannot use the proxy from the environment variable \(name): \(error)")
        }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
