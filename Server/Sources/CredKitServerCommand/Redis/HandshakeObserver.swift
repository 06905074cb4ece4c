// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOCore
import NIOTLS

/// Reports the end of a TLS handshake.
final class HandshakeObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Succeeds after the handshake, and fails if the connection ends first.
    let secured: EventLoopPromise<Void>

    init(_ secured: EventLoopPromise<Void>) { self.secured = secured }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { secured.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        secured.fail(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        secured.fail(SharedStateError(.disconnected))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { secured.fail(SharedStateError(.disconnected)) }
}
