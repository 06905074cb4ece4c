// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// The signals that end or suspend a program, noted for a while instead of what they do: in a process with several
/// threads it is not enough that one thread blocks them. There is one such while at a time; see ``HiddenPrompt``.
struct NotedSignals: ~Copyable {
    private static let numbers = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE,
        SIGXCPU,
        SIGVTALRM, SIGPROF,
    ]

    private var previous: [(number: Int32, action: sigaction)] = []

    /// Notes them from now on. Those that are ignored stay so.
    init() {
        _ = credkit_signal_take()
        for number in Self.numbers {
            var action = sigaction()
            if unsafe credkit_signal_note(number, &action) == 1 { previous.append((number, action)) }
        }
    }

    /// The signal that has come, if one has, once.
    func take() -> Int32? {
        let number = credkit_signal_take()
        return number == 0 ? nil : number
    }

    /// Lets them do again what they did.
    consuming func restore() {
        for index in previous.indices {
            var action = previous[index].action
            unsafe sigaction(previous[index].number, &action, nil)
        }
    }
}
