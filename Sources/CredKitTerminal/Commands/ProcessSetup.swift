// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import Glibc

/// What a command changes in its process before it reads anything.
public enum ProcessSetup {
    /// The signals that the caller ignores and this process does not.
    private static let ignoredSignals = Lock<[Int32]>([])

    /// Protects the memory of the process, and ends it if it is traced; disables the Swift runtime's crash reports, and keeps
    /// OpenSSL from reading a configuration that the environment names.
    ///
    /// - Parameter loadsOpenSSL: Whether libcrypto is loaded now, so that a server without it does not start, instead of ending
    ///   at its first login.
    public static func apply(loadsOpenSSL: Bool = false) {
        if let tracer = ProcessMemory.protect() {
            StandardStreams.show(
                "credkit: process \(tracer) traces this one and could read its secrets; "
                    + "to debug it, set CREDKIT_ALLOW_CORE_DUMPS=1\n"
            )
            exit(ExitStatus.refused.rawValue)
        }
        OpenSSLSetup.ignoreConfiguration()
        if loadsOpenSSL { OpenSSLSetup.load() }
        // The runtime's crash reports show registers and memory. It would also report a crash on Ctrl-\, and the program
        // would not end.
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            setDefault(number)
        }
        // If the caller ignores this signal, so does this process, and it cannot tell how its child processes ended.
        setDefault(SIGCHLD)
        // Swift reads the command line from there. Without it every command would seem to be called without arguments.
        guard CommandLine.argc > 0 else {
            StandardStreams.show("credkit: cannot read the command line: /proc is not mounted\n")
            exit(ExitStatus.inputOutput.rawValue)
        }
    }
    private static func setDefault(_ number: Int32) {
        let previous = signal(number, SIG_DFL)
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            ignoredSignals.withLock { $0.append(number) }
        }
    }

    /// Restores what a program that takes the place of this one inherits: the limit of core dumps, ignored signals, and
    /// standard streams that the caller closed. The protection of the memory ends with this program.
    package static func restore() {
        ProcessMemory.restoreCoreLimit()
        let signals = ignoredSignals.withLock { $0 }
        for number in signals { signal(number, SIG_IGN) }
        StandardStreams.release()
    }
}
