// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitSystem
import CredKit
import CredKitTerminal
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore

/// A server that accepts connections until it is stopped.
struct ServerRun: Sendable {
    let server: LoginServer
    let host: String
    let port: UInt16
    let tls: TLSConfiguration?

    /// The maximum number of simultaneous connections; more wait until one is closed.
    private static let maximumConnections = 512

    /// The seconds after which a connection is closed if no request is completed or no response is read.
    private static let idleSeconds: Int64 = 30

    /// Serves until SIGINT or SIGTERM.
    func run() async throws {
        let http = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [
                    IdleStateHandler(allTimeout: .seconds(Self.idleSeconds)), ConnectionDeadlines(),
                ],
                idleTimeout: .seconds(Self.idleSeconds),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 << 10,
                    maxHeaderListSize: 32 << 10,
                    maxHeaderFieldCount: 100
                )
            )
        )
        let logger = Logger(label: "credkit-server") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            responder: server,
            server: try tls.map { try .tls(http, tlsConfiguration: $0) } ?? http,
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: Int(port)),
                availableConnectionsDelegate: MaximumAvailableConnections(
                    Self.maximumConnections,
                    logger: logger
                )
            ),
            onServerRunning: { announce($0) },
            logger: logger
        )
        do {
            try await application.runService()
        } catch let error as IOError {
            throw failure(SystemError.message(of: error.errnoCode))
        } catch {
            throw failure("\(error)")
        }
    }

    private func failure(_ reason: String) -> CommandFailure {
        CommandFailure(.cannotCreate, "cannot listen on \(address(port: Int(port))): \(reason)")
    }

    private func address(port: Int) -> String {
        "\(tls == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    private func announce(_ channel: any Channel) {
        let line = "listening on \(address(port: channel.localAddress?.port ?? Int(port)))"
        // Standard output may be closed if the address is not needed.
        try? StandardStreams.writeLine(line)
    }
}
#endif
