// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

extension FakePostgreSQL {
    /// Makes a relay to a real server. It reads at most `pieceSize` bytes of the client at once. `change` gets the number of the
    /// server's bytes before a piece, and the piece; it returns what the client gets in its place, and whether the connection goes on.
    static func relay(
        to port: Int,
        pieceSize: Int = 65536,
        _ change: @escaping @Sendable (Int, [UInt8]) -> (bytes: [UInt8], goesOn: Bool) = { ($1, true) }
    ) throws -> FakePostgreSQL {
        try FakePostgreSQL { client in
            guard let server = Connection(port: port) else { return }
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while case let piece = client.read(pieceSize), !piece.isEmpty { server.write(piece) }
                server.finishWriting()
                isDone.signal()
            }
            var count = 0
            while case let piece = server.read(), !piece.isEmpty {
                let changed = change(count, piece)
                count += piece.count
                guard client.write(changed.bytes), changed.goesOn else { break }
            }
            shutdown(client.descriptor, Int32(SHUT_RDWR))
            shutdown(server.descriptor, Int32(SHUT_RDWR))
            // Its descriptors are not closed before.
            isDone.wait()
            close(server.descriptor)
        }
    }
}

extension FakePostgreSQL.Connection {
    /// Connects to a server on 127.0.0.1.
    init?(port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }
}
