// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import XCTest

@testable import CredKitServerCommand

final class ClientPresenceTests: XCTestCase {
    /// A channel whose event loop runs when it is asked to, from any thread.
    private func channel() async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        try await channel.testingEventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(ConnectionDeadlines(ConnectionLimits()))
        }.get()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
        return channel
    }

    private func idle(_ channel: NIOAsyncTestingChannel) async throws {
        try await channel.testingEventLoop.submit {
            channel.pipeline.fireUserInboundEventTriggered(IdleStateHandler.IdleStateEvent.all)
        }.get()
    }

    func testIdleConnectionIsClosed() async throws {
        let channel = try await channel()
        try await idle(channel)
        try await channel.closeFuture.get()
    }

    func testConnectionOnWhichTheServerWorksIsNotIdle() async throws {
        let channel = try await channel()
        let presence = await ConnectionDeadlines.presence(in: channel)
        let (work, end) = AsyncStream<Void>.makeStream()
        let answer = Task {
            try await presence.answer {
                for await _ in work { break }
                return .text("done")
            }
        }
        while !presence.isAwaitingAnswer { await Task.yield() }
        try await idle(channel)
        XCTAssert(channel.isActive)
        // Its client does not read.
        channel.isWritable = false
        try await idle(channel)
        try await channel.closeFuture.get()
        end.finish()
        _ = try await answer.value
    }

    func testWorkEndsWithItsClient() async throws {
        for endsHalf in [false, true] {
            let channel = try await channel()
            let presence = await ConnectionDeadlines.presence(in: channel)
            let answer = Task {
                try await presence.answer {
                    try await Task.sleep(for: .seconds(3600))
                    return .text("too late")
                }
            }
            while !presence.isAwaitingAnswer { await Task.yield() }
            XCTAssertFalse(presence.isGone)
            if endsHalf {
                try await channel.testingEventLoop.submit {
                    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
                }.get()
            } else {
                try await channel.close()
            }
            let result = await answer.result
            XCTAssertThrowsError(try result.get()) { XCTAssert($0 is CancellationError) }
            XCTAssert(presence.isGone)
            // So does what is begun for it later.
            let later = try await presence.answer {
                while !Task.isCancelled { await Task.yield() }
                return .text("cancelled")
            }
            XCTAssertEqual(later?.body, Array("cancelled".utf8))
        }
    }

    func testAnswerComesInTimeAlsoIfTheWorkDoesNot() async throws {
        let channel = try await channel()
        let presence = await ConnectionDeadlines.presence(in: channel)
        let (work, end) = AsyncStream<Void>.makeStream()
        let answer = Task {
            try await presence.answer(within: .seconds(20)) {
                // As the hash of a library that cannot be interrupted.
                await Task.detached { for await _ in work { break } }.value
                return .text("\(Task.isCancelled)")
            }
        }
        while !presence.isAwaitingAnswer { await Task.yield() }
        await channel.testingEventLoop.advanceTime(by: .seconds(19))
        XCTAssert(presence.isAwaitingAnswer)
        await channel.testingEventLoop.advanceTime(by: .seconds(1))
        let late = try await answer.value
        XCTAssertNil(late)
        end.finish()
    }
}
