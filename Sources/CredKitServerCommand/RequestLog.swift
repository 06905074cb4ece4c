// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitSystem
import CredKit
import CredKitTerminal
import Glibc

/// Logs requests on standard error. A line is dropped if it cannot be written at once: a pipe that is not read would
/// otherwise block the server.
enum RequestLog {
    /// The maximum number of bytes of a path that are logged. Escaped they are four times as many, and the line is
    /// still shorter than PIPE_BUF, which a writable pipe accepts at once.
    private static let pathByteCount = 200

    /// Serializes the lines, so that the free space that was found is still free.
    private static let turn = Lock(())

    /// Logs a request, without its query and headers, which contain secrets.
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
