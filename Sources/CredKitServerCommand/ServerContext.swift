// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitServer
import Hummingbird
import NIOCore

/// What the server knows of a request beside the request.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The address of whoever sent it.
    let address: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        address = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }

    /// The name under which it is counted.
    var source: String { SourceAddress.group(address) }
}
#endif
