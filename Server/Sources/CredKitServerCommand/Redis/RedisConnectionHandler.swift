// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOCore

/// The queue of one connection: replies come in the order of the commands.
///
/// Any doubt about that order ends the connection: bytes that are no reply, and a reply to no command.
final class RedisConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limits: RedisLimits
    private let backlog: RedisBacklog
    private var parser: RESPParser
    private var queue = CircularBuffer<RedisCall>()
    private var context: ChannelHandlerContext?
    private var mustFlush = false
    /// When the deadlines are checked next, and what does it.
    private var check: (time: NIODeadline, task: Scheduled<Void>)?
    private var lastRead = NIODeadline.now()
    /// Why the connection ended or takes no further commands.
    private var failure: SharedStateError?

    init(limits: RedisLimits, backlog: RedisBacklog) {
        self.limits = limits
        self.backlog = backlog
        parser = RESPParser(limits: limits.reply)
    }

    // MARK: Commands

    /// Sends a command, for which the backlog has room already.
    func send(_ call: RedisCall) {
        guard failure == nil, let context, call.abandonedAt == nil else {
            backlog.remove(byteCount: call.bytes.readableBytes)
            call.fail(failure ?? SharedStateError(.disconnected))
            return
        }
        guard call.deadline > .now() else {
            backlog.remove(byteCount: call.bytes.readableBytes)
            call.fail(SharedStateError(.timedOut))
            return
        }
        queue.append(call)
        context.write(wrapOutboundOut(call.bytes), promise: nil)
        scheduleCheck(at: call.deadline)
        // The commands of one turn of the event loop leave together.
        guard !mustFlush else { return }
        mustFlush = true
        context.eventLoop.assumeIsolated().execute {
            self.mustFlush = false
            self.context?.flush()
        }
    }

    /// Takes no further commands, and closes the connection after the replies to the present ones.
    func drain(because error: SharedStateError) {
        guard failure == nil else { return }
        failure = error
        if queue.isEmpty { context?.close(promise: nil) }
    }

    /// Fails all commands, and closes the connection.
    func close(because error: SharedStateError) {
        if failure == nil { failure = error }
        check?.task.cancel()
        check = nil
        while let call = queue.popFirst() {
            backlog.remove(byteCount: call.bytes.readableBytes)
            call.fail(error)
        }
        context?.close(promise: nil)
    }

    // MARK: Replies

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        guard let bytes = buffer.readBytes(length: buffer.readableBytes) else { return }
        lastRead = .now()
        var input = bytes[...]
        do throws(RESPParser.Failure) {
            while let reply = try parser.next(&input) {
                guard let call = queue.popFirst() else {
                    return close(
                        because: SharedStateError(
                            .malformedAnswer,
                            message: "Redis answers what was not asked"
                        )
                    )
                }
                backlog.remove(byteCount: call.bytes.readableBytes)
                call.succeed(reply)
            }
            guard parser.isBetweenReplies || !queue.isEmpty else {
                return close(
                    because: SharedStateError(.malformedAnswer, message: "Redis answers what was not asked")
                )
            }
        } catch {
            return close(
                because: SharedStateError(.malformedAnswer, message: "Redis answers in another protocol")
            )
        }
        if failure != nil, queue.isEmpty { context.close(promise: nil) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func channelActive(context: ChannelHandlerContext) {
        lastRead = .now()
        context.eventLoop.assumeIsolated().scheduleTask(in: limits.idleTime) { self.probe() }
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        close(because: SharedStateError(.disconnected))
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        close(because: SharedStateError(.disconnected, message: "Redis closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close(because: SharedStateError(.disconnected, underlying: error))
    }

    // MARK: Deadlines

    /// Asks an idle server for a sign of life. Any reply is one, even that the user may not ask.
    private func probe() {
        guard failure == nil, let context else { return }
        context.eventLoop.assumeIsolated().scheduleTask(in: limits.idleTime) { self.probe() }
        guard queue.isEmpty, lastRead + limits.idleTime <= .now() else { return }
        // Nothing waits for the reply: the command is abandoned as soon as it is sent.
        let call = RedisCall(RESPEncoder.command("PING"), deadline: .now() + .milliseconds(10))
        guard (try? backlog.add(byteCount: call.bytes.readableBytes)) != nil else { return }
        send(call)
    }

    private func scheduleCheck(at time: NIODeadline) {
        guard let context, check.map({ time < $0.time }) ?? true else { return }
        check?.task.cancel()
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { self.checkDeadlines() }
        check = (time, task)
    }

    private func checkDeadlines() {
        check = nil
        let now = NIODeadline.now()
        var next: NIODeadline?
        for call in queue {
            if call.deadline <= now { call.fail(SharedStateError(.timedOut)) }
            let time = call.abandonedAt.map { $0 + limits.abandonedAge } ?? call.deadline
            guard time > now else {
                return close(
                    because: SharedStateError(.disconnected, message: "Redis does not answer any more")
                )
            }
            next = min(next ?? time, time)
        }
        if let next { scheduleCheck(at: next) }
    }
}
