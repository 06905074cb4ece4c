// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for a server behind a reverse proxy.
struct TrustedProxyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The address or the network of a reverse proxy whose statements about clients count; repeatable. Limits and the \
            log then use the rightmost address that is not one of the proxies.
            """,
            valueName: "cidr"
        )
    )
    var trustedProxy: [AddressRange] = []

    @Option(
        help: ArgumentHelp(
            """
            The header in which the proxies state the client: x-forwarded-for or forwarded. The other one is ignored, because \
            proxies pass it on as the client sent it.
            """,
            valueName: "name"
        )
    )
    var proxyHeader: TrustedProxies.Header?

    /// The proxies.
    var proxies: TrustedProxies {
        TrustedProxies(ranges: trustedProxy, header: proxyHeader ?? .xForwardedFor)
    }

    func validate() throws {
        guard proxyHeader == nil || !trustedProxy.isEmpty else {
            throw ValidationError("--proxy-header requires --trusted-proxy.")
        }
    }
}
