// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitSystem

@Suite struct LoopbackListenerTests {
    /// Connects to 127.0.0.1, over a socket of IPv6 if one is asked for; `nil` if there is no IPv6.
    private func openConnection(to port: UInt16, family: Int32 = AF_INET) -> Descriptor? {
        let number = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var mapped = sockaddr_in6()
        mapped.sin6_family = sa_family_t(AF_INET6)
        mapped.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &mapped.sin6_addr) {
            $0.copyBytes(from: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1] as [UInt8])
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status =
            family == AF_INET
            ? withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            : withUnsafePointer(to: mapped) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        #expect(status == 0 || family == AF_INET6)
        if status != 0 { close(number) }
        return status == 0 ? Descriptor(number) : nil
    }

    /// Accepts the connection that is there.
    private func accept(_ listener: LoopbackListener) -> [LoopbackConnection] {
        #expect(listener.wait(for: [], atMost: .seconds(20)).hasNewConnections)
        return listener.accept()
    }

    @Test(arguments: [AF_INET, AF_INET6] as [Int32])
    func connectionsOfThisUserAreAccepted(family: Int32) throws {
        let listener = try LoopbackListener(.ipv4, port: 0, "cannot listen")
        guard let peer = openConnection(to: listener.port, family: family) else { return }
        let connection = try #require(accept(listener).first)
        #expect(connection.receive(limit: 10) == .nothing)
        #expect(send(peer.number, "hello", 5, 0) == 5)
        let ready = listener.wait(for: [(connection: connection, interest: .receiving)], atMost: .seconds(20))
        #expect(ready.connections == [true])
        #expect(connection.receive(limit: 10) == .bytes(Array("hello".utf8)))
        #expect(connection.send([1, 2, 3]) == 3)
        connection.endSending()
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(recv(peer.number, &bytes, 10, 0) == 3)
        #expect(recv(peer.number, &bytes, 10, 0) == 0)
    }

    /// The list is for systems that do not tell of single connections.
    @Test(arguments: [AF_INET, AF_INET6] as [Int32])
    func bothWaysToFindAUserAgree(family: Int32) throws {
        func expect(_ user: PeerUser, _ end: SocketAddress, _ other: SocketAddress) {
            #expect(PeerUser.listed(end, other) == user)
            if let asked = PeerUser.asked(end, other) { #expect(asked == user) }
        }
        let listener = try LoopbackListener(.ipv4, port: 0, "cannot listen")
        var peer = openConnection(to: listener.port, family: family)
        guard let number = peer?.number else { return }
        if family == AF_INET, let client = peer {
            // Its other end belongs to no process yet, which the kernel shows as root.
            let far = try #require(SocketAddress(peerOf: client))
            expect(.closed, far, try #require(SocketAddress(of: client)))
        }
        let connection = try #require(accept(listener).first)
        let end = try #require(SocketAddress(peerOf: connection.socket))
        let own = try #require(SocketAddress(of: connection.socket))
        expect(.user(geteuid()), end, own)
        expect(.user(geteuid()), own, end)
        #expect(shutdown(number, Int32(SHUT_WR)) == 0)
        expect(.closed, end, own)
        peer = nil
        expect(.closed, end, own)
        // Something listens there, and has no connection.
        let listening = SocketAddress(loopback: AF_INET, port: listener.port)
        expect(.missing, listening, SocketAddress(loopback: AF_INET, port: 1))
    }

    @Test func otherAddressesOfThisComputerDoNotReachIt() throws {
        let listener = try LoopbackListener(.ipv4, port: 0, "cannot listen")
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = listener.port.bigEndian
        // All of 127.0.0.0/8 is this computer.
        address.sin_addr.s_addr = UInt32(0x7F00_0002).bigEndian
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(status == -1 && errno == ECONNREFUSED)
    }

    @Test func peerThatHasClosedItsEndIsNotAccepted() throws {
        let listener = try LoopbackListener(.ipv4, port: 0, "cannot listen")
        do {
            let peer = try #require(openConnection(to: listener.port))
            #expect(send(peer.number, "hello", 5, 0) == 5)
        }
        #expect(accept(listener).isEmpty)
    }

    @Test(.enabled(if: getuid() == 0))
    func connectionsOfAnotherUserAreClosed() throws {
        let listener = try LoopbackListener(.ipv4, port: 0, "cannot listen")
        // The user's process reads to the end, which comes when the connection is refused.
        let script = "exec 3<>/dev/tcp/127.0.0.1/\(listener.port); cat <&3; echo refused"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", script,
        ]
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.start()
        #expect(accept(listener).isEmpty)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForExit()
        #expect(text.hasSuffix("refused\n"), "\(text)")
    }

    @Test func takenPortIsAnError() throws {
        let listener = try LoopbackListener(.ipv4, port: 0, "cannot listen")
        #expect(throws: SystemError.self) {
            _ = try LoopbackListener(.ipv4, port: listener.port, "cannot listen")
        }
        #expect(throws: SystemError.self) {
            _ = try LoopbackListener(.both, port: listener.port, "cannot listen")
        }
        listener.stop()
        #expect(try LoopbackListener(.ipv4, port: listener.port, "cannot listen").port == listener.port)
    }

    @Test func bothAddressesHaveOnePort() throws {
        // On a computer without IPv6, one address is all that there is.
        guard let other = try? LoopbackListener(.ipv6, port: 0, "cannot listen") else { return }
        #expect(!other.hasIPv4)
        let both = try LoopbackListener(.both, port: 0, "cannot listen")
        #expect(both.hasIPv4)
        #expect(throws: SystemError.self) {
            _ = try LoopbackListener(.ipv6, port: both.port, "cannot listen")
        }
        #expect(throws: SystemError.self) {
            _ = try LoopbackListener(.ipv4, port: both.port, "cannot listen")
        }
        // Half of it would leave the other half to other programs.
        #expect(throws: SystemError.self) {
            _ = try LoopbackListener(.both, port: other.port, "cannot listen")
        }
    }

    @Test func sleepingThreadIsWoken() throws {
        let listener = try LoopbackListener(.ipv4, port: 0, "cannot listen")
        for _ in 0..<100 { listener.wake() }
        let clock = ContinuousClock.now
        #expect(!listener.wait(for: [], atMost: .seconds(600)).hasNewConnections)
        #expect(DetachedThread.start { listener.wake() })
        #expect(!listener.wait(for: [], atMost: .seconds(600)).hasNewConnections)
        #expect(ContinuousClock.now - clock < .seconds(600))
    }
}
