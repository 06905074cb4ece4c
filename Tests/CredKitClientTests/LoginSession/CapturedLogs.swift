// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import Logging

/// Captures all log messages of all levels.
final class CapturedLogs: Sendable {
    private let lines = Lock<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(logs: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let logs: CapturedLogs
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            logs.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}
