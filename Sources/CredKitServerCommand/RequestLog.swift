// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitSystem
import CredKit
import CredKitTerminal
import Glibc

/// The lines about requests on standard error, for as long as somebody reads them: a pipe that nobody empties would
/// otherwise keep the server from answering.
enum RequestLog {
    /// The most bytes of a path that are shown. Escaped they are four times as many, and a line is less than what a pipe
    /// takes at once when it takes anything.
    private static let pathByteCount = 200

    /// One line after the other, so that what is found to be free still is.
    private static let turn = Lock(())

    /// Notes a request: neither query nor headers, which hold secrets.
    static func note(address: String, method: String, path: String, status: Int) {
        let path = String(decoding: path.utf8.prefix(pathByteCount), as: UTF8.self)
        let line = "\(address) \(method.prefix(20)) \(ShellQuoting.escapingUnprintable(path)) \(status)\n"
        turn.withLock { _ in
            var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLOUT) != 0 else { return }
            StandardStreams.show(line)
        }
    }
}
#endif
