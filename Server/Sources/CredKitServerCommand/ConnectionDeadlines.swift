// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTPTypes

/// Closes idle connections, on which the client neither sends nor reads. Hummingbird's own timeout applies to requests
/// only, and does not affect clients that do not read their responses.
///
/// While the server works on an answer, it is not the client that is idle: ``ClientPresence`` limits that time.
final class ConnectionDeadlines: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    /// The seconds after which a connection is closed without a complete head, a further part of a body, or a
    /// response that is read; bytes of an unfinished head do not count.
    static let idleSeconds: Int64 = 30

    private let limits: ConnectionLimits
    private var context: ChannelHandlerContext?
    private var presence: ClientPresence?

    init(_ limits: ConnectionLimits) { self.limits = limits }

    /// Returns the handlers of a new connection. They stand behind the decoder, and so see only what it has completed.
    static func handlers(_ limits: ConnectionLimits) -> [any RemovableChannelHandler] {
        [IdleStateHandler(allTimeout: .seconds(idleSeconds)), ConnectionDeadlines(limits)]
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let presence = ClientPresence(of: context.channel)
        self.presence = presence
        limits.begin(context.channel, of: presence)
        // A larger piece could have thousands of requests, whose decoding alone would keep other connections waiting.
        let options = context.channel.syncOptions
        try? options?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
        try? options?.setOption(.maxMessagesPerRead, value: 1)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { presence?.requestArrived() }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is IdleStateHandler.IdleStateEvent:
            // The client of a channel that is not writable does not read.
            if presence?.isAwaitingAnswer != true || !context.channel.isWritable {
                context.close(promise: nil)
            }
        case ChannelEvent.inputClosed:
            // A client that only ends its half of the connection cannot be told from one that has gone; for proxies, both have gone.
            presence?.end()
            context.fireUserInboundEventTriggered(event)
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

    /// Returns the presence of the client of a connection.
    static func presence(in channel: any Channel) async -> ClientPresence {
        let present = try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: Self.self).presence
        }.get()
        // A closed channel has no handlers.
        return (present ?? nil) ?? ClientPresence(of: channel)
    }
}
