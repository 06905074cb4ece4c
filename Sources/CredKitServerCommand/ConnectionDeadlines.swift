// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import NIOCore

/// Closes idle connections, on which the client neither sends nor reads. Hummingbird's own timeout applies to requests
/// only, and does not affect clients that do not read their responses.
final class ConnectionDeadlines: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is IdleStateHandler.IdleStateEvent: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent:
            let channel = context.channel
            context.eventLoop.scheduleTask(in: TimeAmount(ServerDrain.timeout)) {
                channel.close(promise: nil)
            }
            context.fireUserInboundEventTriggered(event)
        default: context.fireUserInboundEventTriggered(event)
        }
    }
}
#endif
