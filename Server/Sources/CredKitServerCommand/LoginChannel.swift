// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection of a client, with TLS or without. Over TLS it gets the certificate that is in use when it is opened; Hummingbird's
/// own channel keeps the first one.
///
/// Its requests are processed on its event loop. On the threads of the concurrency runtime, each wait for a store would wake
/// another thread twice, which takes longer than the rest of a login.
struct LoginChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let tls: ServerTLS?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let tls else { return base.setup(channel: channel, logger: logger) }
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.identity.context))
        }
        .flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Value, logger: Logger) async {
        await ConnectionDeadlines.presence(in: value.channel).serve {
            await base.handle(value: value, logger: logger)
        }
    }
}
