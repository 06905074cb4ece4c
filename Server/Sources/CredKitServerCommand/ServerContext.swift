// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import Hummingbird
import NIOCore

/// The properties of a request's connection.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The address of the connection.
    let peer: String
    /// Where the request comes from: the peer, unless that is a trusted proxy.
    var origin: TrustedProxies.Origin

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? "unknown"
        origin = TrustedProxies.Origin(address: peer)
    }

    /// The name under which the client's attempts are counted.
    var clientAddress: String { ClientAddress.rateLimitKey(for: origin.address) }
}
