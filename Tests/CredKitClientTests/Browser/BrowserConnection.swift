// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Glibc
import Testing

/// A connection to a server of this computer, as a browser or another program opens it. Its calls block.
final class BrowserConnection: Sendable {
    /// The system refused the connection.
    struct Refused: Error {}

    /// A redirect URL for tests that expect a closed port: the system gives ports of these numbers to no other server that asks
    /// for any, such as those of tests at the same time.
    static var quietRedirect: String { "http://127.0.0.1:\(UInt16.random(in: 10_000..<32_000))/cb" }

    private let descriptor: Int32

    /// Connects to 127.0.0.1.
    init(port: UInt16) throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // A server that hangs fails a test, instead of hanging it.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(number)
            throw Refused()
        }
        descriptor = number
    }

    deinit { close(descriptor) }

    /// Sends bytes, as far as the server takes them.
    func send(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Receives all that the server sends until it closes the connection; `nil` if it does not.
    func receiveAll() -> String? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count < 0 { return errno == ECONNRESET ? String(decoding: bytes, as: UTF8.self) : nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece.prefix(count)
        }
    }

    /// Sends a request, and returns the response.
    static func exchange(_ text: String, port: UInt16) async throws -> String {
        let result = await DetachedThread.value { () -> Result<String?, any Error> in
            Result {
                let connection = try BrowserConnection(port: port)
                connection.send(text)
                return connection.receiveAll()
            }
        }
        let response = try #require(result).get()
        return try #require(response)
    }
}
