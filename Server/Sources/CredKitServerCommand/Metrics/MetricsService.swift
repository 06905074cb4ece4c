// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

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
                let text = ListenAddress(host: address.host, port: port).defaultValueDescription
                log.note(.info, "start", "metrics at http://\(text)/metrics")
            },
            logger: Logger(label: "credkit-server") { _ in SwiftLogNoOpLogHandler() }
        )
        do {
            try await application.run()
        } catch let error as IOError {
            throw ServerRun.failure(to: "http://\(address.defaultValueDescription)", error)
        }
    }
}
