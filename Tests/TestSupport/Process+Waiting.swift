// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Process {
    /// Starts the process with no signal blocked. It would inherit the signals that a thread of Dispatch blocks, and not end
    /// at SIGTERM.
    public func start() throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }

    /// Waits until the process has ended.
    ///
    /// On Linux `waitUntilExit` notices the end up to 50 ms late, which adds up to minutes in tests that run thousands of
    /// programs.
    public func waitForExit() {
        var information = siginfo_t()
        // WNOWAIT: Foundation collects the exit status.
        while isRunning,
            waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR
        {}
        // Its thread has been told of the end as well, and is about to.
        while isRunning { usleep(200) }
    }
}
