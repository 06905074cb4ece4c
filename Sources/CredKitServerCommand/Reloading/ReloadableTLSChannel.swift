// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection over TLS with the certificate that is in use when the connection is opened. Hummingbird's own keeps the first.
struct ReloadableTLSChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let tls: ServerTLS

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.identity.context))
        }
        .flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
#endif
