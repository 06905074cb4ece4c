// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Which proxy to use.
public enum ProxySelection: Sendable, Hashable {
    /// The proxy that the environment names in `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, read by
    /// ``ProxyEnvironment``, as curl does; applied by `ConnectionRoutes`. It never applies to loopback.
    case environment
    /// No proxy, regardless of the environment.
    case none
    /// This proxy for all requests, without exceptions for `no_proxy` or loopback.
    case proxy(Proxy)
    /// This proxy for all requests except to hosts in the environment's `no_proxy`, as with curl's `--proxy`.
    case proxyHonoringNoProxy(Proxy)
}
