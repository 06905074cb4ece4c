// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// Holds back the signals that ask a program to end, so that it can do so between two pieces of work.
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
        // Threads that are started from now on inherit it.
        pthread_sigmask(SIG_BLOCK, &held, nil)
    }

    /// Whether a signal does nothing, as SIGHUP does under nohup. Held back it would wait all the same.
    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The signal that has come, if one has.
    mutating func next() -> Int32? {
        var noTime = timespec()
        let signal = sigtimedwait(&held, nil, &noTime)
        return signal > 0 ? signal : nil
    }

    /// Lets signals through again.
    mutating func restore() {
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}
