// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// Programs that go on without this one, such as a browser.
package enum DetachedProgram {
    /// Starts a program without a shell, and does not wait for it. Its standard streams are `/dev/null`, all other descriptors
    /// are closed, and it has no terminal: neither Ctrl-C there nor the end of this process ends it.
    ///
    /// - Parameters:
    ///   - words: The name of the program, which is searched for in `PATH`, and its arguments.
    ///   - hiddenVariable: The name of an environment variable that it does not get.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``, of the kind `notFound` if there is no such program.
    package static func start(
        _ words: [String],
        without hiddenVariable: String,
        _ operation: String
    ) throws(SystemError) {
        guard let program = words.first, !words.contains(where: { $0.utf8.contains(0) }) else {
            throw SystemError(EINVAL, operation)
        }
        let actions = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)
        defer { unsafe actions.deallocate() }
        unsafe posix_spawn_file_actions_init(actions)
        defer { unsafe posix_spawn_file_actions_destroy(actions) }
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(actions, stream, "/dev/null", O_RDWR, 0)
        }
        let closing = unsafe credkit_spawn_close_from(actions, STDERR_FILENO + 1)
        guard closing == 0 else { throw SystemError(closing, operation) }
        let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        defer { unsafe arguments.forEach { unsafe free($0) } }
        let variables = unsafe ShellCommand.environment(without: hiddenVariable)
        let process = try unsafe ShellCommand.withSignalDefaults { (attributes, flags) throws(SystemError) in
            unsafe posix_spawnattr_setflags(attributes, Int16(flags | credkit_spawn_new_session()))
            var process = pid_t()
            let list = unsafe arguments + [nil]
            let status = unsafe posix_spawnp(&process, program, actions, attributes, list, variables)
            guard status == 0 else { throw SystemError(status, operation) }
            return process
        }
        // Otherwise its entry would remain in the list of processes. Without a thread it remains until this process ends.
        _ = DetachedThread.start { while waitpid(process, nil, 0) < 0 && errno == EINTR {} }
    }
}
