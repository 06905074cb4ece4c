// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOCore
import NIOPosix

@testable import CredKitServerCommand

/// A server that answers whatever the tests want, on a free port of 127.0.0.1.
final class FakeRedis: Sendable {
    /// What follows a command.
    enum Reaction: Sendable {
        /// These pieces, each sent when the former one has left.
        case pieces([[UInt8]])
        case nothing
        case close
    }

    private let channel: any Channel
    let port: Int

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - greeting: What it sends before it is asked.
    ///   - react: Returns what follows a command. The name and the arguments are text.
    /// - Throws: An error of NIO if there is no free port.
    init(greeting: String = "", _ react: @escaping @Sendable ([String]) -> Reaction) throws {
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(greeting, react))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }

    /// What a primary answers to a new connection; `nil` for other commands.
    static func greet(_ command: [String]) -> String? {
        switch command.first {
        case "AUTH": "+OK\r\n"
        case "INFO": "$11\r\nrole:master\r\n"
        case "PING": "+PONG\r\n"
        default: nil
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let greeting: String
        private let react: @Sendable ([String]) -> Reaction
        private var parser = RESPParser()

        init(_ greeting: String, _ react: @escaping @Sendable ([String]) -> Reaction) {
            self.greeting = greeting
            self.react = react
        }

        func channelActive(context: ChannelHandlerContext) {
            if !greeting.isEmpty { send(Array(greeting.utf8), context) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var buffer = unwrapInboundIn(data)
            var input = (buffer.readBytes(length: buffer.readableBytes) ?? [])[...]
            while let reply = try? parser.next(&input), case .array(let parts) = reply {
                let words = parts.map { part in
                    guard case .bytes(let bytes) = part else { return "" }
                    return String(decoding: bytes, as: UTF8.self)
                }
                switch react(words) {
                case .pieces(let pieces): for piece in pieces { send(piece, context) }
                case .nothing: break
                case .close: context.close(promise: nil)
                }
            }
        }

        private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }
    }
}

extension FakeRedis.Reaction {
    static func text(_ text: String) -> Self { .pieces([Array(text.utf8)]) }
}
