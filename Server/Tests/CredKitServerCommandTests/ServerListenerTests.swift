// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Dispatch
import NIOCore
import NIOPosix
import Testing

@testable import CredKitServerCommand

/// The end of the socket that accepts connections.
@Suite struct ServerListenerTests {
    /// Event loops that are busy have not set up all connections that were accepted.
    @Test func connectionsOnTheirWayAreServedWhenTheServerStops() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeSucceededFuture(1)
        }
        let listener = ServerListener()
        listener.begin(server.channel)
        let others = group.makeIterator().filter { $0 !== server.channel.eventLoop }
        let gate = DispatchSemaphore(value: 0)
        for loop in others { loop.execute { gate.wait() } }
        let clientGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let address = try #require(server.channel.localAddress)
        var clients: [any Channel] = []
        for _ in 0..<8 {
            clients.append(try await ClientBootstrap(group: clientGroup).connect(to: address).get())
        }
        // Later than the end of a listener that does not wait for them.
        let count = others.count
        let release = Task.detached {
            try await Task.sleep(for: .milliseconds(100))
            for _ in 0..<count { gate.signal() }
        }
        await listener.drain()
        try await server.channel.close()
        try await release.value
        let served = try await server.executeThenClose { inbound in
            var served = 0
            for try await one in inbound { served += one }
            return served
        }
        #expect(served == clients.count)
        for client in clients { try? await client.close() }
        try await clientGroup.shutdownGracefully()
    }
}
