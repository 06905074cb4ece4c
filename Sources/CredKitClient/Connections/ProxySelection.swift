// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Which proxy to use.
public enum ProxySelection: Sendable, Hashable {
    /// The proxy that the environment names: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`, as curl reads
    /// them. It never applies to loopback.
    case environment
    /// None, whatever the environment says.
    case none
    /// This one, for all requests: neither `no_proxy` nor loopback is an exception.
    case proxy(Proxy)
    /// This one, for all requests but those to hosts that the environment's `no_proxy` names: as curl's `--proxy`.
    case proxyHonoringNoProxy(Proxy)
}
