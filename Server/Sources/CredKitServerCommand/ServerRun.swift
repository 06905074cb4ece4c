// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals
import NIOSSL
import HTTPTypes

/// A server that accepts connections until it is stopped.
struct ServerRun: Sendable {
    let server: LoginServer
    let address: ListenAddress
    let tls: ServerTLS?
    let operation: OperationOptions
    /// The socket on which it accepts connections.
    private let listener = ServerListener()
    /// What to do when the server has stopped.
    let onStop: @Sendable () -> Void

    init(
        server: LoginServer,
        address: ListenAddress,
        tls: ServerTLS?,
        operation: OperationOptions,
        onStop: @escaping @Sendable () -> Void
    ) {
        self.server = server
        self.address = address
        self.tls = tls
        self.operation = operation
        self.onStop = onStop
    }

    /// Returns the limits of a connection.
    static func channel(_ limits: ConnectionLimits) -> HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            additionalChannelHandlers: ConnectionDeadlines.handlers(limits),
            idleTimeout: .seconds(ConnectionDeadlines.idleSeconds),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10,
                maxHeaderListSize: 32 << 10,
                maxHeaderFieldCount: 100
            )
        )
    }

    /// Serves until SIGINT or SIGTERM.
    ///
    /// - Parameters:
    ///   - files: What to read again when it has changed.
    ///   - stamps: The stamps of the files from before they were read.
    /// - Throws: ``CommandFailure`` if the server cannot listen.
    func run(reloading files: [ReloadedFiles], since stamps: [[UInt8]: FileStamp]) async throws {
        let reloader = Reloader(files, since: stamps, log: server.settings.log, metrics: server.metrics)
        if let tls { server.metrics.setCertificateExpiry(tls.identity.expiry) }
        // They stop in reverse order.
        var services: [any Service] = [
            application, ReloadService(reloader: reloader),
            ServerDrain(
                health: server.health,
                listener: listener,
                delay: .seconds(operation.drainDelay),
                onTimeout: onStop
            ),
        ]
        if let metrics = operation.metrics {
            let responder = MetricsServer(metrics: server.metrics, health: server.health)
            services.insert(
                MetricsService(responder: responder, address: metrics, log: server.settings.log),
                at: 0
            )
        }
        let group = ServiceGroup(
            configuration: .init(
                services: services,
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Self.logger
            )
        )
        do {
            try await group.run()
        } catch {
            onStop()
            throw (error as? CommandFailure) ?? Self.failure(to: address.url(hasTLS: tls != nil), error)
        }
        onStop()
    }

    private static let logger = Logger(label: "credkit-server") { _ in SwiftLogNoOpLogHandler() }

    private var application: some Service {
        let limits = ConnectionLimits(server.settings.proxies)
        return Application(
            responder: server,
            server: HTTPServerBuilder { responder in
                LoginChannel(
                    base: HTTP1Channel(responder: responder, configuration: Self.channel(limits)),
                    tls: tls
                )
            },
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: Int(address.port))
            ),
            onServerRunning: { announce($0) },
            logger: Self.logger
        )
    }

    /// Returns the failure to listen on an address.
    static func failure(to url: String, _ error: any Error) -> CommandFailure {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        return CommandFailure(.cannotCreate, "cannot listen on \(url): \(reason)")
    }

    private func announce(_ channel: any Channel) {
        listener.begin(channel)
        server.health.begin(.serving)
        server.settings.passkeys?.publishKey(server.settings.log)
        server.settings.accounts?.publishKey(server.settings.log)
        ServiceNotification.send("READY=1")
        let port = channel.localAddress?.port.flatMap { UInt16(exactly: $0) } ?? address.port
        // Standard output may be closed if the address is not needed.
        let url = ListenAddress(host: address.host, port: port).url(hasTLS: tls != nil)
        try? StandardStreams.writeLine("listening on \(url)")
        if server.settings.accounts?.offersCodes == true, !QRCode.isAvailable {
            let message =
                "QR codes cannot be drawn, so that users must type the keys of one-time codes: install libqrencode4"
            server.settings.log.note(.warning, "configuration", message)
        }
    }
}

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

/// The listener of the metrics.
struct MetricsService: Service {
    let responder: MetricsServer
    let address: ListenAddress
    let log: ServerLog

    func run() async throws {
        let limits = ConnectionLimits()
        let application = Application(
            responder: responder,
            server: .http1(configuration: ServerRun.channel(limits)),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: Int(address.port))
            ),
            onServerRunning: { channel in
                let port = channel.localAddress?.port.flatMap { UInt16(exactly: $0) } ?? address.port
                let url = ListenAddress(host: address.host, port: port).url(hasTLS: false)
                log.note(.info, "start", "metrics at \(url)/metrics")
            },
            logger: Logger(label: "credkit-server") { _ in SwiftLogNoOpLogHandler() }
        )
        do {
            try await application.run()
        } catch let error as IOError {
            throw ServerRun.failure(to: address.url(hasTLS: false), error)
        }
    }
}

/// Reloads files at SIGHUP and when they have changed.
struct ReloadService: Service {
    /// The time from one look at the files to the next.
    private static let interval = Duration.seconds(1)

    let reloader: Reloader

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        // One reload at a time.
        let (reloads, asked) = AsyncStream.makeStream(of: Bool.self)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in signals { asked.yield(true) }
                }
                group.addTask {
                    while (try? await Task.sleep(for: Self.interval)) != nil { asked.yield(false) }
                }
                for await isForced in reloads { await reloader.reload(isForced: isForced) }
            }
        }
    }
}

/// Answers on the listener of the metrics: `/metrics` and the endpoints of the health.
struct MetricsServer: HTTPResponder {
    typealias Context = ServerContext

    let metrics: ServerMetrics
    let health: ServerHealth

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let path = request.uri.path
        let answer: ServerAnswer
        if let status = await health.answer(to: request.method, path) {
            answer = status
        } else if path != "/metrics" {
            answer = .refusal(
                .notFound,
                "there is no such endpoint; use /metrics, /health/live or /health/ready"
            )
        } else if request.method != .get && request.method != .head {
            answer = LoginServer.wrongMethod("GET")
        } else {
            var text = ServerAnswer.text(metrics.registry.text)
            text.headers[.contentType] = PrometheusText.contentType
            answer = text
        }
        return answer.response(to: request, on: context.channel)
    }
}
