// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import Glibc

/// What a command changes in its process before it reads anything.
public enum ProcessSetup {
    /// Protects the memory of the process, and ends it if it is traced; disables the Swift runtime's crash reports, and keeps
    /// OpenSSL from reading a configuration that the environment names.
    public static func apply() {
        if let tracer = ProcessMemory.protect() {
            StandardStreams.show(
                "credkit: process \(tracer) traces this one and could read its secrets; "
                    + "to debug it, set CREDKIT_ALLOW_CORE_DUMPS=1\n"
            )
            exit(ExitStatus.refused.rawValue)
        }
        OpenSSLSetup.ignoreConfiguration()
        // The runtime's crash reports show registers and memory. It would also report a crash on Ctrl-\, and the program
        // would not end.
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            signal(number, SIG_DFL)
        }
        // If the caller ignores this signal, so does this process, and it cannot tell how its child processes ended.
        signal(SIGCHLD, SIG_DFL)
        // Swift reads the command line from there. Without it every command would seem to be called without arguments.
        guard CommandLine.argc > 0 else {
            StandardStreams.show("credkit: cannot read the command line: /proc is not mounted\n")
            exit(ExitStatus.inputOutput.rawValue)
        }
    }
}
