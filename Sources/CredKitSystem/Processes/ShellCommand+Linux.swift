// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// A command that runs in `/bin/sh`. It inherits nothing but the environment: its standard input is empty, its output and
/// its messages are pipes, and all other descriptors are closed.
///
/// A command that has not ended is killed with the value, as are the processes that it has started.
package struct ShellCommand: ~Copyable {
    /// The end of the pipe that is the command's standard output.
    package let output: Descriptor
    /// The end of the pipe that is the command's standard error.
    package let messages: Descriptor
    private let process: ChildProcess

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - command: The command line for the shell.
    ///   - usesTerminal: Whether the command may ask at the terminal of this process. It is in the process group of this
    ///     process then, as any other could not read from the terminal, and Ctrl-C would not reach it. Otherwise it gets a
    ///     group of its own, which can be killed as a whole.
    ///   - hiddenVariable: The name of an environment variable that the command does not get.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``.
    package init(
        _ command: String,
        usesTerminal: Bool,
        without hiddenVariable: String,
        _ operation: String
    ) throws(SystemError) {
        let (output, outputEnd) = try Self.pipe(operation)
        let (messages, messagesEnd) = try Self.pipe(operation)
        let process = try Self.start(
            command,
            output: outputEnd,
            messages: messagesEnd,
            hasGroup: !usesTerminal,
            without: hiddenVariable,
            operation
        )
        self.process = ChildProcess(process, hasGroup: !usesTerminal, pipes: [output, messages])
        self.output = output
        self.messages = messages
    }

    deinit { process.end() }

    /// Kills the command at once when a caller stops waiting. The caller may end this process then, before the thread that
    /// waits for the command has noticed.
    package func kill(atStopOf token: CancellationToken) {
        token.onStop { [process] in process.kill() }
    }

    /// Returns how the command ended, as `waitpid` tells it; `nil` if it is running.
    ///
    /// - Throws: ``SystemError`` if that is unknown, since this process ignores the ends of its child processes.
    package func status() throws(SystemError) -> Int32? { try process.status() }

    /// Returns the ends of a new pipe, neither of which has the number of a standard stream: these are replaced one after
    /// the other in the child process.
    private static func pipe(_ operation: String) throws(SystemError) -> (Descriptor, Descriptor) {
        var ends: [Int32] = [-1, -1]
        guard unsafe credkit_pipe(&ends) == 0 else { throw SystemError(errno, operation) }
        let (first, second) = (Descriptor(ends[0]), Descriptor(ends[1]))
        return try (aboveStandardStreams(first, operation), aboveStandardStreams(second, operation))
    }

    private static func aboveStandardStreams(
        _ descriptor: Descriptor,
        _ operation: String
    ) throws(SystemError) -> Descriptor {
        guard descriptor.number <= STDERR_FILENO else { return descriptor }
        let number = fcntl(descriptor.number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard number >= 0 else { throw SystemError(errno, operation) }
        return Descriptor(number)
    }

    private static func start(
        _ command: String,
        output: Descriptor,
        messages: Descriptor,
        hasGroup: Bool,
        without hiddenVariable: String,
        _ operation: String
    ) throws(SystemError) -> pid_t {
        let actions = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)
        defer { unsafe actions.deallocate() }
        unsafe posix_spawn_file_actions_init(actions)
        defer { unsafe posix_spawn_file_actions_destroy(actions) }
        unsafe posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(actions, output.number, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(actions, messages.number, STDERR_FILENO)
        // Descriptors that the caller of this process has opened are not closed by execve(2).
        let closing = unsafe credkit_spawn_close_from(actions, STDERR_FILENO + 1)
        guard closing == 0 else { throw SystemError(closing, operation) }
        let words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("/bin/sh"), strdup("-c"), strdup(command)]
        defer { unsafe words.forEach { unsafe free($0) } }
        let variables = unsafe environment(without: hiddenVariable)
        return try unsafe withSignalDefaults { (attributes, flags) throws(SystemError) in
            unsafe posix_spawnattr_setflags(attributes, Int16(flags | (hasGroup ? POSIX_SPAWN_SETPGROUP : 0)))
            var process = pid_t()
            let status = unsafe posix_spawn(
                &process,
                "/bin/sh",
                actions,
                attributes,
                words + [nil],
                variables
            )
            guard status == 0 else { throw SystemError(status, operation) }
            return process
        }
    }

    /// Calls `body` with attributes for a process that blocks no signals, and does not ignore SIGPIPE, and with the flags
    /// that they need. Threads of this process may block signals, and its caller may ignore SIGPIPE, which ends pipelines.
    static func withSignalDefaults<Value>(
        _ body: (UnsafeMutablePointer<posix_spawnattr_t>, Int32) throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        unsafe posix_spawnattr_init(attributes)
        defer { unsafe posix_spawnattr_destroy(attributes) }
        var none = sigset_t()
        var restored = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigemptyset(&restored)
        unsafe sigaddset(&restored, SIGPIPE)
        unsafe posix_spawnattr_setsigmask(attributes, &none)
        unsafe posix_spawnattr_setsigdefault(attributes, &restored)
        return try unsafe body(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    }

    static func environment(without name: String) -> [UnsafeMutablePointer<CChar>?] {
        let prefix = name + "="
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
        guard var next = unsafe credkit_environment() else { return unsafe [nil] }
        while let variable = unsafe next.pointee {
            if unsafe strncmp(variable, prefix, prefix.utf8.count) != 0 { unsafe variables.append(variable) }
            unsafe next += 1
        }
        return unsafe variables + [nil]
    }
}
