// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// The socket that accepts connections, and its end.
///
/// When a listening socket is closed, the kernel resets the connections that wait to be accepted. Their clients count as
/// connected, and may have sent a request: a proxy must not repeat it if it is a POST.
final class ServerListener: Sendable {
    /// The longest wait for connections to be accepted, of which there may be too many already.
    private static let timeout = Duration.seconds(1)
    /// How often a connection goes from the socket's event loop to its own and back before it is served: for its options, and
    /// to be set up. And once more, should a library add one.
    private static let handovers = 3
    /// How long handshakes that are under way may take, between a proxy and a server of one site.
    private static let handshakeTime = Duration.milliseconds(10)

    private let channel = NIOLockedValueBox<(any Channel)?>(nil)

    /// Notes the channel of the socket.
    func begin(_ channel: any Channel) { self.channel.withLockedValue { $0 = channel } }

    /// Lets no further connection begin, and waits until the existing ones are accepted. A client that connects meanwhile gets no
    /// answer; it tries again after a second, and then the socket is closed.
    func drain() async {
        guard let channel = self.channel.withLockedValue({ $0 }),
            let options = channel as? any SocketOptionProvider
        else { return }
        do {
            try await options.unsafeSetSocketOption(
                level: .socket,
                name: NIOBSDSocket.Option(rawValue: SO_ATTACH_FILTER),
                value: SocketFilter.withoutNewConnections
            ).get()
            let end = ContinuousClock.now + Self.timeout
            repeat {
                try await Task.sleep(for: Self.handshakeTime)
                // Of a listening socket, it is the number of connections that wait to be accepted.
            } while try await options.getTCPInfo().get().tcpi_unacked > 0 && .now < end
            try await Self.awaitHandovers(of: channel)
        } catch {
            // The socket is closed, or the system has no such filter. The end of the server does not depend on it.
        }
    }

    /// Waits until all connections that were accepted are served. One that is still on its way when the socket is closed would be
    /// dropped with its request, and SwiftNIO ends the process when such a connection was set up already.
    private static func awaitHandovers(of channel: any Channel) async throws {
        // An event loop does in turn what it is given.
        for _ in 0..<handovers {
            try await channel.eventLoop.submit {}.get()
            for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
                try await loop.submit {}.get()
            }
        }
        try await channel.eventLoop.submit {}.get()
    }
}

/// A program of the kernel's packet filter: `struct sock_fprog`.
struct SocketFilter: @unchecked Sendable {
    /// An instruction: `struct sock_filter`.
    private struct Instruction {
        let code: UInt16
        /// How many instructions to skip if a comparison is true, or false.
        let skips: (UInt8, UInt8)
        let value: UInt32
    }

    private let count: UInt16
    /// Read by the kernel only while the filter is attached to a socket. Never freed, since that may happen later.
    private let program: UnsafePointer<Instruction>

    private init(_ instructions: [Instruction]) {
        let memory = UnsafeMutableBufferPointer<Instruction>.allocate(capacity: instructions.count)
        _ = memory.initialize(from: instructions)
        count = UInt16(instructions.count)
        program = UnsafePointer(memory.baseAddress.unsafelyUnwrapped)
    }

    /// Drops the packets that begin a connection. The bytes are those of the TCP header, whose flags are in byte 13.
    static let withoutNewConnections = SocketFilter([
        Instruction(code: loadByte, skips: (0, 0), value: 13),
        Instruction(code: jumpIfSet, skips: (0, 1), value: synchronize),
        Instruction(code: giveBack, skips: (0, 0), value: 0),
        Instruction(code: giveBack, skips: (0, 0), value: .max),
    ])

    // BPF_LD|BPF_B|BPF_ABS, BPF_JMP|BPF_JSET|BPF_K, BPF_RET|BPF_K; the flag SYN.
    private static let loadByte: UInt16 = 0x30, jumpIfSet: UInt16 = 0x45, giveBack: UInt16 = 0x06
    private static let synchronize: UInt32 = 0x02
}
