// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The address of a TCP socket over IPv4 or IPv6, in the form of the system's calls.
struct SocketAddress: Sendable, Equatable {
    /// The size of the larger form, `sockaddr_in6`. That of IPv4 ends earlier, and is followed by zeros.
    private static let byteCount = 28

    private let bytes: [UInt8]

    /// The loopback address of a family, `AF_INET` or `AF_INET6`, with a port.
    init(loopback family: Int32, port: UInt16) {
        var bytes = Self.start(of: family) + [UInt8(port >> 8), UInt8(port & 0xFF)]
        bytes += family == AF_INET ? [127, 0, 0, 1] : [UInt8](repeating: 0, count: 4 + 15) + [1]
        self.bytes = bytes + [UInt8](repeating: 0, count: Self.byteCount - bytes.count)
    }

    /// The address that a socket is bound to; `nil` if there is none.
    init?(of socket: Descriptor) { self.init(of: socket, isPeer: false) }

    /// The address of a socket's peer; `nil` if it is no longer connected.
    init?(peerOf socket: Descriptor) { self.init(of: socket, isPeer: true) }

    private init?(of socket: Descriptor, isPeer: Bool) {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        var size = socklen_t(Self.byteCount)
        let status = unsafe bytes.withUnsafeMutableBytes { bytes in
            let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return unsafe isPeer
                ? getpeername(socket.number, address, &size) : getsockname(socket.number, address, &size)
        }
        guard status == 0 else { return nil }
        self.bytes = bytes
    }

    /// The port.
    var port: UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }

    /// Whether this is an address of IPv4.
    var isIPv4: Bool { bytes.starts(with: Self.start(of: AF_INET)) }

    private static func start(of family: Int32) -> [UInt8] {
        unsafe withUnsafeBytes(of: sa_family_t(family)) { unsafe Array($0) }
    }

    /// Gives the address to a function in C.
    func withBytes<Value>(_ body: (UnsafeRawPointer?) -> Value) -> Value {
        unsafe bytes.withUnsafeBytes { unsafe body($0.baseAddress) }
    }

    /// Binds a socket to the address. Returns 0, or -1 with `errno`.
    func bind(_ socket: Descriptor) -> Int32 {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.bind(
                socket.number,
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(isIPv4 ? 16 : Self.byteCount)
            )
        }
    }

    /// The address as `/proc/net/tcp` and `tcp6` show it: its words as numbers of this processor, and the port.
    ///
    /// - Parameter isMapped: Whether an address of IPv4 is shown as that of a socket of IPv6 which is connected over IPv4.
    /// - Returns: The text.
    func listed(isMapped: Bool = false) -> String {
        var host = Array(isIPv4 ? bytes[4..<8] : bytes[8..<24])
        if isIPv4, isMapped { host = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + host }
        var text = ""
        for start in stride(from: 0, to: host.count, by: 4) {
            let word = host[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            text += Self.hex(word.bigEndian, digitCount: 8)
        }
        return text + ":" + Self.hex(UInt32(port), digitCount: 4)
    }

    private static func hex(_ number: UInt32, digitCount: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: digitCount - digits.utf8.count) + digits
    }
}
