// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A connection that a ``LoopbackListener`` has accepted. It is closed with the object, and nothing in it blocks.
package final class LoopbackConnection: Sendable {
    /// What was received.
    package enum Input: Sendable, Equatable {
        /// Some bytes.
        case bytes([UInt8])
        /// Nothing yet.
        case nothing
        /// The peer sends no more, or the connection is lost.
        case end
    }

    let socket: Descriptor

    init(_ socket: Descriptor) { self.socket = socket }

    /// Receives what is there.
    ///
    /// - Parameter limit: The most bytes to receive.
    /// - Returns: What was received.
    package func receive(limit: Int) -> Input {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe recv(socket.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .nothing : .end }
        return count == 0 ? .end : .bytes(Array(bytes.prefix(count)))
    }

    /// Sends what the system takes at once.
    ///
    /// - Parameter bytes: The bytes, at least one.
    /// - Returns: How many were sent; `nil` if the connection is lost.
    package func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(
                socket.number,
                $0.baseAddress,
                $0.count,
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            )
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// Tells the peer that nothing more is sent.
    package func endSending() { shutdown(socket.number, Int32(SHUT_WR)) }
}
