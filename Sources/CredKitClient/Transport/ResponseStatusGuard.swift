// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// Ends a connection whose server answers with a status below 100, which HTTP does not have.
///
/// AsyncHTTPClient takes such a head for an informational one, and the end of the response, which nothing was to come of,
/// then ends the process.
final class ResponseStatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// What the request fails with.
    struct InvalidStatus: Error {}

    private var hasEnded = false

    /// Puts a guard behind the decoder of a connection.
    static func install(on channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(ResponseStatusGuard(), position: .after(decoder))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasEnded { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            hasEnded = true
            context.fireErrorCaught(InvalidStatus())
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
