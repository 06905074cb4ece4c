// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A TCP server on 127.0.0.1 that does whatever the tests want, each connection on a thread of its own.
final class FakePostgreSQL: Sendable {
    /// A connection. It is closed when the handler returns.
    struct Connection: Sendable {
        let descriptor: Int32

        /// Returns the next bytes; empty at the end.
        func read(_ limit: Int = 65536) -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: limit)
            let count = recv(descriptor, &buffer, limit, 0)
            return Array(buffer.prefix(max(0, count)))
        }

        /// Sends all bytes. Returns `false` if the client has closed the connection.
        @discardableResult
        func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Sends no more.
        func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    private let listener: Int32
    let port: Int

    /// Listens on a free port.
    init(_ handle: @escaping @Sendable (Connection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 256) == 0
                    ? getsockname(listener, pointer, &size) : -1
            }
        }
        guard status == 0 else { throw CocoaError(.fileReadUnknown) }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                Thread.detachNewThread {
                    handle(Connection(descriptor: descriptor))
                    close(descriptor)
                }
            }
            close(listener)
        }
    }

    /// Ends the thread that accepts connections.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    // MARK: PostgreSQL's messages

    /// A message of the server.
    static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
        let count = UInt32(body.count + 4)
        return [type.asciiValue ?? 0] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
            + body
    }

    /// An error or a notice with these fields, each with its letter first.
    static func fields(_ type: Character, _ fields: [String]) -> [UInt8] {
        message(type, fields.flatMap { Array($0.utf8) + [0] } + [0])
    }

    /// What a server answers when it needs no password.
    static let greeting =
        message("R", [0, 0, 0, 0])
        + [("server_version", "15.0"), ("in_hot_standby", "off"), ("default_transaction_read_only", "off")]
        .flatMap { message("S", Array($0.utf8) + [0] + Array($1.utf8) + [0]) }
        + message("K", [0, 0, 0, 1, 0, 0, 0, 1]) + message("Z", [UInt8(ascii: "I")])

    /// Reads the messages that begin a connection, and answers them.
    static func greet(_ connection: Connection) {
        _ = connection.read()
        connection.write(greeting)
    }
}
