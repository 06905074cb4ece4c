// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// Holds back the signals that ask a program to end, so that it can do so between two pieces of work.
struct PendingSignals {
    private var held = sigset_t()
    private var previous = sigset_t()

    init() {
        pthread_sigmask(SIG_BLOCK, nil, &previous)
        sigemptyset(&held)
        for signal in [SIGINT, SIGTERM, SIGHUP] where sigismember(&previous, signal) == 0 {
            sigaddset(&held, signal)
        }
        // Threads that are started from now on inherit it.
        pthread_sigmask(SIG_BLOCK, &held, nil)
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
