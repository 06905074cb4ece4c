// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// Blocks the signals that terminate a program, so that it can end between two batches of work.
struct PendingSignals {
    private var held = sigset_t()
    private var previous = sigset_t()

    init() {
        pthread_sigmask(SIG_BLOCK, nil, &previous)
        sigemptyset(&held)
        for signal in [SIGINT, SIGTERM, SIGHUP]
        where sigismember(&previous, signal) == 0 && !Self.isIgnored(signal) {
            sigaddset(&held, signal)
        }
        // Threads that are started from now on inherit the mask.
        pthread_sigmask(SIG_BLOCK, &held, nil)
    }

    /// Returns whether a signal is ignored, as SIGHUP is under nohup. If it were blocked, it would become pending
    /// nevertheless.
    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Returns a pending signal, or `nil` if there is none.
    mutating func next() -> Int32? {
        var noTime = timespec()
        let signal = sigtimedwait(&held, nil, &noTime)
        return signal > 0 ? signal : nil
    }

    /// Restores the previous signal mask.
    mutating func restore() {
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}
