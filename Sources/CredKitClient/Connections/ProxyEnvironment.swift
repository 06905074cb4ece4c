// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The proxies that environment variables name, as curl reads them (`man curl`, ENVIRONMENT).
///
/// `http_proxy` is for http, `https_proxy` or `HTTPS_PROXY` for https, `all_proxy` or `ALL_PROXY` for both where the
/// first are not set, and `no_proxy` or `NO_PROXY` has the hosts that none is used for. Lower case comes first, an empty
/// variable counts as not set, and `HTTP_PROXY` is never read: web servers set it from a header of requests to CGI
/// programs. Loopback is never reached through one of these proxies, since nothing would be behind it.
public struct ProxyEnvironment: Sendable, Hashable {
    /// What a variable names.
    private enum Entry: Sendable, Hashable {
        case proxy(Proxy)
        /// The message of the error, which names the variable.
        case malformed(String)
        case outOfMemory
    }

    private let plain: Entry?
    private let secure: Entry?
    /// The hosts that are reached without a proxy.
    let excluded: NoProxyList?

    /// Read the variables of this process.
    public static var current: ProxyEnvironment { ProxyEnvironment(reading: Self.variable) }

    /// Read variables.
    ///
    /// - Parameter environment: Names and values. Malformed values are an error when a request would use them.
    public init(environment: [String: String]) { self.init(reading: { environment[$0] }) }

    private init(reading variable: (String) -> String?) {
        let all = ["all_proxy", "ALL_PROXY"]
        plain = Self.first(of: ["http_proxy"] + all, variable).map(Self.entry)
        secure = Self.first(of: ["https_proxy", "HTTPS_PROXY"] + all, variable).map(Self.entry)
        excluded = Self.first(of: ["no_proxy", "NO_PROXY"], variable).map { NoProxyList($0.value) }
    }

    /// The proxy for an origin; `nil` if it is reached without one.
    ///
    /// - Throws: ``LoginError/invalidRequest`` if the variable for it is malformed.
    func proxy(for origin: Origin) throws(LoginError) -> Proxy? {
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
        do throws(LoginError) {
            return .proxy(try ProxyText(value).proxy())
        } catch {
            guard error == .invalidRequest else { return .outOfMemory }
            return .malformed("cannot use the proxy of the environment variable \(name): \(error)")
        }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
