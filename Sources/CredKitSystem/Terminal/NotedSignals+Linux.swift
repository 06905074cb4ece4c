// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// Records the signals that end or suspend a program for a while, instead of their actions: in a process with several
/// threads, blocking them in one thread is not sufficient. Only one instance may exist at a time; see ``HiddenPrompt``.
struct NotedSignals: ~Copyable {
    private static let numbers = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE,
        SIGXCPU,
        SIGVTALRM, SIGPROF,
    ]

    private var previous: [(number: Int32, action: sigaction)] = []

    /// Starts recording. Ignored signals stay ignored.
    init() {
        _ = credkit_signal_take()
        for number in Self.numbers {
            var action = sigaction()
            if unsafe credkit_signal_note(number, &action) == 1 { previous.append((number, action)) }
        }
    }

    /// Returns the last recorded signal, if any, and clears it.
    func take() -> Int32? {
        let number = credkit_signal_take()
        return number == 0 ? nil : number
    }

    /// Restores the original actions.
    consuming func restore() {
        for index in previous.indices {
            var action = previous[index].action
            unsafe sigaction(previous[index].number, &action, nil)
        }
    }
}
