// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server that does next to nothing, in a process of its own, so that what is measured is the client.
enum LoopbackServer {
    /// Serves until standard input ends. The port is the first line that it prints.
    static func run() throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Answers())
                }
            }
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .bind(host: "127.0.0.1", port: 0)
            .wait()
        let line = "\(channel.localAddress?.port ?? 0)\n"
        _ = line.withCString { write(STDOUT_FILENO, $0, line.utf8.count) }
        while readLine() != nil {}
    }

    private final class Answers: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private var path = ""

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): path = head.uri
            case .body: break
            case .end:
                var headers: HTTPHeaders = ["content-type": "application/json"]
                let text: String
                switch path {
                case "/hmackey.php": text = #"{"key":"any text"}"#
                case "/loginhmac.php":
                    text = #"{"userId":1}"#
                    headers.add(
                        name: "set-cookie",
                        value: "session=0123456789abcdef0123456789abcdef; Path=/; HttpOnly"
                    )
                    headers.add(name: "x-auth-token", value: "fedcba9876543210fedcba9876543210")
                default:
                    text = #"{"code":0,"msg":"ok","data":[{"id":1,"name":"Zhang"},{"id":2,"name":"Li"}]}"#
                }
                headers.add(name: "content-length", value: "\(text.utf8.count)")
                let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
