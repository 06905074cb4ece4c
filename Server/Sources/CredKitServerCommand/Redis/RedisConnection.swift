// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// One connection to a Redis server or to a Sentinel, which many callers share.
final class RedisConnection: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<RedisConnectionHandler>
    private let backlog: RedisBacklog

    private init(
        _ channel: any Channel,
        _ handler: NIOLoopBound<RedisConnectionHandler>,
        _ backlog: RedisBacklog
    ) {
        self.channel = channel
        self.handler = handler
        self.backlog = backlog
    }

    /// Connects, with TLS if that is given. Nothing is sent before the server's certificate is verified.
    ///
    /// - Throws: ``SharedStateError/Code/disconnected``, ``SharedStateError/Code/untrustedServer``.
    static func open(
        to endpoint: RedisEndpoint,
        security: RedisSecurity,
        limits: RedisLimits,
        on loop: any EventLoop
    ) async throws -> RedisConnection {
        let backlog = RedisBacklog(limits)
        let problem = NIOLockedValueBox<String?>(nil)
        let link = try await connect(to: endpoint, limits, on: loop) { channel in
            let pipeline = channel.pipeline.syncOperations
            let secured = loop.makePromise(of: Void.self)
            if case .tls(let tls) = security, case .host(let host, _) = endpoint {
                let handler: NIOSSLClientHandler
                do {
                    handler = try tls.handler(for: host, problem: problem)
                } catch {
                    secured.fail(error)
                    throw error
                }
                try pipeline.addHandlers([handler, HandshakeObserver(secured)])
            } else {
                secured.succeed()
            }
            let handler = RedisConnectionHandler(limits: limits, backlog: backlog)
            try pipeline.addHandler(handler)
            return Link(
                channel: channel,
                handler: NIOLoopBound(handler, eventLoop: loop),
                secured: secured
            )
        }
        do {
            try await confirm(link, security, limits)
            return RedisConnection(link.channel, link.handler, backlog)
        } catch {
            link.channel.close(promise: nil)
            if let problem = problem.withLockedValue({ $0 }) {
                throw SharedStateError(
                    .untrustedServer,
                    message: "Redis at \(endpoint) is not trusted: \(problem)"
                )
            }
            switch error {
            case let error as SharedStateError: throw error
            case NIOSSLError.handshakeFailed:
                throw SharedStateError(
                    .untrustedServer,
                    message: "Redis at \(endpoint) offers no acceptable TLS",
                    underlying: error
                )
            default: throw disconnected(endpoint, error)
            }
        }
    }

    /// A channel with its handlers. They are looked up nowhere: a channel that is closed already has lost them.
    private struct Link: Sendable {
        let channel: any Channel
        let handler: NIOLoopBound<RedisConnectionHandler>
        /// Ends with the TLS handshake.
        let secured: EventLoopPromise<Void>
    }

    /// Establishes a connection. Its bytes are read by the handlers from the first one on.
    private static func connect(
        to endpoint: RedisEndpoint,
        _ limits: RedisLimits,
        on loop: any EventLoop,
        _ prepare: @escaping @Sendable (any Channel) throws -> Link
    ) async throws(SharedStateError) -> Link {
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(limits.connectTime)
        // Several addresses of a name may be tried, each with its own channel.
        let initializer = { @Sendable (channel: any Channel) in
            channel.eventLoop.makeCompletedFuture { try prepare(channel) }
        }
        do {
            switch endpoint {
            case .host(let host, let port):
                return try await bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .channelOption(.socketOption(.so_keepalive), value: 1)
                    .connect(host: host, port: port, channelInitializer: initializer)
            case .socket(let path):
                return try await bootstrap.connect(
                    unixDomainSocketPath: path,
                    channelInitializer: initializer
                )
            }
        } catch {
            throw disconnected(endpoint, error)
        }
    }

    private static func disconnected(_ endpoint: RedisEndpoint, _ error: any Error) -> SharedStateError {
        SharedStateError(.disconnected, message: "cannot connect to Redis at \(endpoint)", underlying: error)
    }

    /// Waits until the connection is as secure as it must be.
    private static func confirm(
        _ link: Link,
        _ security: RedisSecurity,
        _ limits: RedisLimits
    ) async throws {
        switch security {
        case .tls:
            let timeout = link.channel.eventLoop.scheduleTask(in: limits.greetingTime) {
                link.secured.fail(SharedStateError(.timedOut))
            }
            defer { timeout.cancel() }
            try await link.secured.futureResult.get()
        case .unencryptedOnThisMachine:
            // The address of a Unix socket is no address of a machine.
            guard let address = link.channel.remoteAddress?.ipAddress, !RedisAddress.isLoopback(address)
            else {
                return
            }
            throw SharedStateError(
                .untrustedServer,
                message: "Redis is on another machine, \(address), and the connection is not encrypted"
            )
        case .unencrypted: break
        }
    }

    /// Sends a command and waits for its reply.
    ///
    /// - Throws: ``SharedStateError/Code/timedOut``, ``SharedStateError/Code/disconnected``,
    ///   ``SharedStateError/Code/overloaded``, ``SharedStateError/Code/malformedAnswer``, `CancellationError`.
    func send(_ command: [UInt8], by deadline: NIODeadline) async throws -> RESPReply {
        let call = RedisCall(command, deadline: deadline)
        try backlog.add(byteCount: command.count)
        return try await call.reply { [channel, handler] in
            // A task on the event loop of the connection need not wait for its next turn.
            guard !channel.eventLoop.inEventLoop else { return handler.value.send(call) }
            channel.eventLoop.execute { handler.value.send(call) }
        }
    }

    /// Takes no further commands, and closes the connection after the replies to the present ones.
    func drain(because error: SharedStateError) {
        channel.eventLoop.execute { [handler] in handler.value.drain(because: error) }
    }

    /// Fails all commands, and closes the connection.
    func close() {
        channel.eventLoop.execute { [handler] in handler.value.close(because: SharedStateError(.disconnected))
        }
    }

    /// Waits until the connection is closed.
    func closed() async { try? await channel.closeFuture.get() }

    /// The number of commands that wait, abandoned ones included.
    var waitingCount: Int { backlog.count }
}

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

/// How long and for how much a connection to Redis waits.
struct RedisLimits: Sendable {
    /// The commands of one connection that wait for a reply, abandoned ones included.
    var waitingCommands = 16_384
    /// The bytes of these commands.
    var waitingByteCount = 16 << 20
    /// The age of the oldest abandoned command at which a connection is closed as half open.
    var abandonedAge = TimeAmount.seconds(1)
    /// The time without replies after which an idle connection is probed.
    var idleTime = TimeAmount.seconds(2)
    /// The time within which to establish a TCP connection.
    var connectTime = TimeAmount.seconds(1)
    /// The time for the TLS handshake, the login, and the check of the role.
    var greetingTime = TimeAmount.seconds(1)
    /// The delays between attempts to connect. They double from the first to the second.
    var retryDelays = TimeAmount.milliseconds(20)...TimeAmount.milliseconds(500)
    /// The least delay after an attempt that more attempts do not mend, such as a wrong password.
    var refusedDelay = TimeAmount.milliseconds(500)
    /// The ceilings of a reply.
    var reply = RESPParser.Limits()
}

extension RESPReply {
    /// The code of an error, which is its first word, such as `NOSCRIPT`; `nil` for other replies.
    var errorCode: Substring? { errorText?.prefix { $0 != " " } }
}
