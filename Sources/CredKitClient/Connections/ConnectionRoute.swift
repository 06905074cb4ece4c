// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The peer that a request to an origin connects to.
package enum ConnectionRoute: Sendable, Hashable {
    /// The origin's own host, at the addresses that its name resolves to.
    case direct
    /// The origin's own host, at these addresses.
    case resolved([String])
    /// A Unix socket on this computer.
    case unixSocket(String)
    /// A proxy.
    case proxy(Proxy)
}
