// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// A program that reads its standard input, writes to its standard output, and reports its progress on descriptor 3. It
/// is started without a shell, and gets no other descriptor; its standard error is discarded.
package struct FilterProgram: ~Copyable {
    /// The descriptor on which the program reports.
    package static let reportDescriptor: Int32 = 3
    private static let reportLimit = 64 << 10

    private let process: ChildProcess
    private var feed: Descriptor?
    private let output: Descriptor
    private let report: Descriptor
    private let operation: String

    /// Starts a program. It is killed with the value.
    ///
    /// - Parameters:
    ///   - words: The name of the program, which is looked up in `PATH`, and its arguments.
    ///   - hiddenVariable: The name of an environment variable that it does not get.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``.
    package init(_ words: [String], without hiddenVariable: String, _ operation: String) throws(SystemError) {
        // A socket, since writing to a pipe without a reader would end this process.
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError(errno, operation) }
        let (feed, feedEnd) = try Self.above(Descriptor(ends[0]), Descriptor(ends[1]), operation)
        guard unsafe credkit_pipe(&ends) == 0 else { throw SystemError(errno, operation) }
        let (output, outputEnd) = try Self.above(Descriptor(ends[0]), Descriptor(ends[1]), operation)
        guard unsafe credkit_pipe(&ends) == 0 else { throw SystemError(errno, operation) }
        let (report, reportEnd) = try Self.above(Descriptor(ends[0]), Descriptor(ends[1]), operation)
        // The child's ends are closed when this returns, so that the end of its output is seen.
        let number = try Self.start(
            words,
            [feedEnd, outputEnd, reportEnd],
            without: hiddenVariable,
            operation
        )
        process = ChildProcess(number, hasGroup: false, pipes: [])
        (self.feed, self.output, self.report, self.operation) = (feed, output, report, operation)
    }

    deinit { process.end() }

    /// Feeds the program, and waits for its end.
    ///
    /// - Parameters:
    ///   - input: Its standard input.
    ///   - receive: Receives its output piece by piece. Once it returns `false`, the program is killed.
    /// - Returns: How it ended, as `waitpid` tells it, and its report.
    /// - Throws: ``SystemError``.
    package mutating func run(
        input: Span<UInt8>,
        receiving receive: (Span<UInt8>) -> Bool
    ) throws(SystemError) -> (status: Int32, report: [UInt8]) {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        var sent = 0
        var (outputIsOpen, reportIsOpen) = (true, true)
        var text: [UInt8] = []
        if input.isEmpty { feed = nil }
        while outputIsOpen || reportIsOpen {
            var polled = [
                pollfd(fd: outputIsOpen ? output.number : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: reportIsOpen ? report.number : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: feed?.number ?? -1, events: Int16(POLLOUT), revents: 0),
            ]
            guard unsafe poll(&polled, 3, -1) >= 0 else {
                if errno == EINTR { continue }
                throw SystemError(errno, operation)
            }
            if polled[0].revents != 0 {
                let isWanted = try read(output) { piece in
                    outputIsOpen = !piece.isEmpty
                    return piece.isEmpty || receive(piece)
                }
                if !isWanted { process.kill() }
            }
            if polled[1].revents != 0 {
                _ = try read(report) { piece in
                    reportIsOpen = !piece.isEmpty
                    if text.count < Self.reportLimit {
                        for index in piece.indices { text.append(piece[index]) }
                    }
                    return true
                }
            }
            if polled[2].revents != 0, let feed {
                let count = unsafe input.extracting(sent...).withUnsafeBytes { bytes in
                    unsafe send(feed.number, bytes.baseAddress, bytes.count, flags)
                }
                if count > 0 { sent += count }
                // A program that reads no more tells in its report why.
                let isOver = count < 0 && errno != EAGAIN && errno != EINTR
                if isOver || sent == input.count { self.feed = nil }
            }
        }
        feed = nil
        while true {
            if let status = try process.status() { return (status, text) }
            usleep(1000)
        }
    }

    /// Reads once, and passes the bytes on; none at the end.
    private func read(_ descriptor: Descriptor, _ body: (Span<UInt8>) -> Bool) throws(SystemError) -> Bool {
        // Not an array: the bytes may be confidential, and are wiped.
        let size = 64 << 10
        let buffer = unsafe UnsafeMutableBufferPointer<UInt8>.allocateOnPage(byteCount: size)
        unsafe buffer.initialize(repeating: 0)
        defer {
            unsafe buffer.baseAddress.map { unsafe explicit_bzero($0, size) }
            unsafe buffer.deallocate()
        }
        let count = unsafe Glibc.read(descriptor.number, buffer.baseAddress, size)
        guard count >= 0 else {
            if errno == EINTR || errno == EAGAIN { return true }
            throw SystemError(errno, operation)
        }
        return unsafe body(UnsafeBufferPointer(buffer).extracting(..<count).span)
    }

    /// Returns both with numbers above ``reportDescriptor``: the lower ones are replaced one after the other in the child.
    private static func above(
        _ first: Descriptor,
        _ second: Descriptor,
        _ operation: String
    ) throws(SystemError) -> (Descriptor, Descriptor) {
        func raised(_ descriptor: Descriptor) throws(SystemError) -> Descriptor {
            guard descriptor.number <= reportDescriptor else { return descriptor }
            let number = fcntl(descriptor.number, F_DUPFD_CLOEXEC, reportDescriptor + 1)
            guard number >= 0 else { throw SystemError(errno, operation) }
            return Descriptor(number)
        }
        return try (raised(first), raised(second))
    }

    private static func start(
        _ words: [String],
        _ ends: [Descriptor],
        without hiddenVariable: String,
        _ operation: String
    ) throws(SystemError) -> pid_t {
        guard !words.isEmpty, !words.contains(where: { $0.utf8.contains(0) }) else {
            throw SystemError(EINVAL, operation)
        }
        let actions = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)
        defer { unsafe actions.deallocate() }
        unsafe posix_spawn_file_actions_init(actions)
        defer { unsafe posix_spawn_file_actions_destroy(actions) }
        for (end, number) in zip(ends, [STDIN_FILENO, STDOUT_FILENO, reportDescriptor]) {
            unsafe posix_spawn_file_actions_adddup2(actions, end.number, number)
        }
        unsafe posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let closing = unsafe credkit_spawn_close_from(actions, reportDescriptor + 1)
        guard closing == 0 else { throw SystemError(closing, operation) }
        let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        defer { unsafe arguments.forEach { unsafe free($0) } }
        let variables = unsafe ShellCommand.environment(without: hiddenVariable)
        return try unsafe ShellCommand.withSignalDefaults { (attributes, flags) throws(SystemError) in
            unsafe posix_spawnattr_setflags(attributes, Int16(flags))
            var process = pid_t()
            let status = unsafe posix_spawnp(
                &process,
                words[0],
                actions,
                attributes,
                arguments + [nil],
                variables
            )
            guard status == 0 else { throw SystemError(status, operation) }
            return process
        }
    }
}
