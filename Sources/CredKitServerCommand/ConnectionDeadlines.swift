// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import NIOCore

/// Closes connections whose other end neither sends nor reads any more. Hummingbird's own deadline is for requests, and
/// leaves alone those who do not take their answers.
final class ConnectionDeadlines: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    /// When the server stops, the seconds that requests have to come to their end.
    private static let stopSeconds: Int64 = 5

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is IdleStateHandler.IdleStateEvent: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent:
            let channel = context.channel
            context.eventLoop.scheduleTask(in: .seconds(Self.stopSeconds)) { channel.close(promise: nil) }
            context.fireUserInboundEventTriggered(event)
        default: context.fireUserInboundEventTriggered(event)
        }
    }
}
#endif
