// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Closes idle connections, on which the client neither sends nor reads. Hummingbird's own timeout applies to requests
/// only, and does not affect clients that do not read their responses.
final class ConnectionDeadlines: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is IdleStateHandler.IdleStateEvent: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent:
            let loop = context.eventLoop.assumeIsolated()
            loop.scheduleTask(in: TimeAmount(ServerDrain.timeout)) { self.context?.close(promise: nil) }
            // Hummingbird closes a connection without a running request at once, although one may be on its way. Requests that come
            // in this time are answered, with `Connection: close`.
            loop.scheduleTask(in: TimeAmount(ServerDrain.requestTime)) {
                self.context?.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            }
        default: context.fireUserInboundEventTriggered(event)
        }
    }
}
