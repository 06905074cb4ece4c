// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal
import Logging

/// The lowest level of the client's log that is shown.
enum LogLevelArgument: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .error }
}

/// Writes a log to standard error, one line per event.
struct StandardErrorLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(_ level: Logger.Level) { logLevel = level }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let members = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let texts = members.sorted { $0.key < $1.key }.map { " \($0.key)='\($0.value)'" }
        StandardStreams.report(
            ShellQuoting.escapingUnprintable("\(event.level): \(event.message)\(texts.joined())")
        )
    }

    /// Returns the logger of a command, which logs nothing without a level.
    static func logger(_ level: LogLevelArgument?) -> Logger {
        guard let level else { return Logger(label: "credkit") { _ in SwiftLogNoOpLogHandler() } }
        return Logger(label: "credkit") { _ in StandardErrorLog(level.level) }
    }
}
