// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl

/// Identifies the connection of a socket by its endpoints: the peer's address, and both ports.
struct SocketEnds: Hashable {
    let peer: String
    let peerPort: Int32
    let ownPort: Int32

    init(peer: String, peerPort: Int32, ownPort: Int32) {
        self.peer = peer
        self.peerPort = peerPort
        self.ownPort = ownPort
    }

    /// Returns the endpoints of a socket; `nil` if it is not connected or has none.
    init?(of descriptor: Int32) {
        var text = [CChar](repeating: 0, count: Int(CREDKIT_ADDRESS_SIZE))
        var peerPort: Int32 = 0
        var ownPort: Int32 = 0
        guard unsafe credkit_socket_ends(descriptor, &text, &peerPort, &ownPort) == 0 else { return nil }
        peer = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.peerPort = peerPort
        self.ownPort = ownPort
    }
}
