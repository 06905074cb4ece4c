// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitServer
import Hummingbird
import NIOCore

/// The properties of a request's connection.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The address of the client, for the log.
    let address: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        address = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }

    /// The name under which the client's attempts are counted.
    var clientAddress: String { ClientAddress.rateLimitKey(for: address) }
}
#endif
