// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Foundation
import XCTest

@testable import CredKitClient

/// A server for one request, which refuses its body after a part of it, and counts what it gets until the client closes the
/// connection.
final class RefusingServer: Sendable {
    private let listener: Int32
    private let outcome = SharedOutcome<Int64, ClientError>()
    let port: UInt16

    /// Starts a server, which refuses a body when it has got `limit` bytes of it.
    init(after limit: Int) throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, size) == 0 && getsockname(number, $0, &size) == 0
            }
        }
        guard isBound, listen(number, 1) == 0 else { throw PeerError.ended }
        listener = number
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [outcome] in outcome.give(.success(Self.serve(number, limit))) }
    }

    deinit {
        // Closing alone would not wake a thread that waits for a connection.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The number of bytes of the body that have arrived.
    func byteCount() async throws -> Int64 { try await outcome.value() }

    private static func serve(_ listener: Int32, _ limit: Int) -> Int64 {
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var (start, count, isRefused) = ([UInt8](), -1, false)
        while true {
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let read = recv(connection, &piece, piece.count, 0)
            guard read > 0 else { return Int64(count) }
            if count < 0 {
                start += piece[..<read]
                guard let end = Data(start).range(of: Data("\r\n\r\n".utf8)) else { continue }
                count = start.count - end.upperBound
            } else {
                count += read
            }
            guard count >= limit, !isRefused else { continue }
            isRefused = true
            let answer = "HTTP/1.1 413 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
        }
    }
}
