// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Glibc
import NIOConcurrencyHelpers
import ArgumentParser

/// Logs on standard error. A line is dropped if it cannot be written at once: a pipe that is not read would otherwise block
/// the server.
struct ServerLog: Sendable {
    /// The importance of a line.
    enum Level: String, Sendable, Encodable {
        case info
        case warning
        case error
    }

    private struct Message: Encodable {
        let time = LogTime.now
        let level: Level
        let event: String
        let message: String

        private enum CodingKeys: CodingKey { case time, level, event, message }
    }

    /// The maximum number of bytes of a message: an escaped one is still shorter than PIPE_BUF.
    private static let messageByteCount = 600

    /// Serializes the lines, so that the free space that was found is still free.
    private static let turn = NIOLockedValueBox(())

    var format = LogFormat.text
    /// Whether requests are not logged.
    var isQuiet = false

    /// Logs a request.
    func note(_ request: LoggedRequest) {
        guard !isQuiet else { return }
        switch format {
        case .text: Self.show(request.text)
        case .json: show(request)
        }
    }

    /// Logs a message, also if requests are not logged.
    ///
    /// - Parameters:
    ///   - level: The importance.
    ///   - event: A word for programs.
    ///   - message: What happened. It must not contain secrets.
    func note(_ level: Level, _ event: String, _ message: String) {
        let message = String(decoding: message.utf8.prefix(Self.messageByteCount), as: UTF8.self)
        switch format {
        case .text: Self.show("credkit-server: \(ShellQuoting.escapingUnprintable(message))\n")
        case .json: show(Message(level: level, event: event, message: message))
        }
    }

    /// Writes a JSON object.
    func show(_ value: some Encodable) {
        guard let line = try? JSONLine(encoding: value) else { return }
        Self.show(String(decoding: line.bytes, as: UTF8.self))
    }

    private static func show(_ line: String) {
        turn.withLockedValue { _ in
            var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLOUT) != 0 else { return }
            StandardStreams.show(line)
        }
    }
}

/// The form of the lines on standard error.
enum LogFormat: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// For people: `ADDRESS METHOD PATH STATUS`.
    case text
    /// A JSON object on each line.
    case json
}

/// The time of a line in the log.
enum LogTime {
    /// The current time in UTC with milliseconds, `2016-08-17T10:00:00.123Z`.
    static var now: String {
        var now = timespec()
        // This clock cannot fail.
        clock_gettime(CLOCK_REALTIME, &now)
        let digits = String(now.tv_nsec / 1_000_000 + 1000).dropFirst()
        return "\(UnixTime(Int64(now.tv_sec)).description.dropLast()).\(digits)Z"
    }
}
