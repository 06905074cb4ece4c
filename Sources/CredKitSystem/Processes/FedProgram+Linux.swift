// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// A program that gets a text on its standard input. It is started without a shell, and gets no other descriptor than the standard
/// error of this process; its standard output is discarded.
package enum FedProgram {
    /// The size of a text in bytes that every pipe takes at once.
    package static let maximumInputByteCount = 4096

    /// Starts a program, and waits for its end. Blocks.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - input: Its standard input, of at most ``maximumInputByteCount`` bytes.
    ///   - limit: How long it may run. It is then killed with all that it has started.
    ///   - hiddenVariable: The name of an environment variable that it does not get.
    ///   - operation: What fails if this does, for people.
    /// - Returns: How it ended, as `waitpid` tells it; `nil` if it was killed after that time.
    /// - Throws: ``SystemError``.
    package static func run(
        _ path: String,
        input: [UInt8],
        within limit: Duration,
        without hiddenVariable: String,
        _ operation: String
    ) throws(SystemError) -> Int32? {
        guard input.count <= maximumInputByteCount, !path.utf8.contains(0) else {
            throw SystemError(EINVAL, operation)
        }
        let process = try ChildProcess(
            start(path, input, without: hiddenVariable, operation),
            hasGroup: true,
            pipes: []
        )
        let end = ContinuousClock.now + limit
        while true {
            if let status = try process.status() { return status }
            guard .now < end else {
                process.end()
                return nil
            }
            usleep(5000)
        }
    }

    private static func start(
        _ path: String,
        _ input: [UInt8],
        without hiddenVariable: String,
        _ operation: String
    ) throws(SystemError) -> pid_t {
        var ends: [Int32] = [-1, -1]
        guard unsafe credkit_pipe(&ends) == 0 else { throw SystemError(errno, operation) }
        let (reading, writing) = (Descriptor(ends[0]), Descriptor(ends[1]))
        // A descriptor is closed after its last use.
        defer { withExtendedLifetime(reading) {} }
        // This process can read the text, so that writing it neither waits for the program nor ends this process.
        try writing.writeAll(input, operation)
        let actions = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)
        defer { unsafe actions.deallocate() }
        unsafe posix_spawn_file_actions_init(actions)
        defer { unsafe posix_spawn_file_actions_destroy(actions) }
        unsafe posix_spawn_file_actions_adddup2(actions, reading.number, STDIN_FILENO)
        unsafe posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        let closing = unsafe credkit_spawn_close_from(actions, STDERR_FILENO + 1)
        guard closing == 0 else { throw SystemError(closing, operation) }
        let words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup(path)]
        defer { unsafe words.forEach { unsafe free($0) } }
        let variables = unsafe ShellCommand.environment(without: hiddenVariable)
        return try unsafe ShellCommand.withSignalDefaults { (attributes, flags) throws(SystemError) in
            unsafe posix_spawnattr_setflags(attributes, Int16(flags | POSIX_SPAWN_SETPGROUP))
            var process = pid_t()
            let status = unsafe posix_spawn(
                &process,
                path,
                actions,
                attributes,
                words + [nil],
                variables
            )
            guard status == 0 else { throw SystemError(status, operation) }
            return process
        }
    }
}
