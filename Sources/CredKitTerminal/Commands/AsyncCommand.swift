// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// A command whose work is asynchronous.
package protocol AsyncCommand: ParsableCommand {
    /// Performs the work of the command.
    func execute() async throws
}

extension AsyncCommand {
    /// Runs ``execute()`` on the main thread. Ctrl-C ends the process as usual.
    package func run() throws {
        try MainThreadExecutor.run(execute)
    }
}
