// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A process that this process has started, until its end was noticed. Its number may be another process's afterwards.
final class ChildProcess: Sendable {
    private let number: pid_t
    /// Whether it is the first of a process group of its own.
    private let hasGroup: Bool
    private let family: ProcessFamily
    private let hasEnded = Lock(false)

    /// Describes a child process.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - hasGroup: Whether it is the first of a process group of its own.
    ///   - pipes: The pipes that its output goes to.
    init(_ number: pid_t, hasGroup: Bool, pipes: [Descriptor]) {
        self.number = number
        self.hasGroup = hasGroup
        family = ProcessFamily(of: number, reading: pipes)
    }

    /// Returns how it ended, as `waitpid` tells it; `nil` if it is running.
    func status() throws(SystemError) -> Int32? {
        let (result, errorNumber): (Int32??, Int32) = hasEnded.withLock { hasEnded in
            var status: Int32 = 0
            let ended = unsafe waitpid(number, &status, WNOHANG)
            if ended == 0 || (ended < 0 && errno == EINTR) { return (.some(nil), 0) }
            hasEnded = true
            return ended == number ? (.some(status), 0) : (nil, errno)
        }
        guard let result else { throw SystemError(errorNumber, "cannot tell how a command ended") }
        return result
    }

    /// Kills it with all that it has started, unless it has ended.
    func kill() {
        hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            if hasGroup { Glibc.kill(-number, SIGKILL) } else { family.kill() }
        }
    }

    /// Kills it and waits for its end.
    func end() {
        kill()
        hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            while waitpid(number, nil, 0) < 0 && errno == EINTR {}
            hasEnded = true
        }
    }
}
