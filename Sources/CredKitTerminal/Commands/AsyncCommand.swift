// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// A command whose work is asynchronous.
package protocol AsyncCommand: ParsableCommand {
    /// Does what the command is for.
    func execute() async throws
}

extension AsyncCommand {
    /// Works on the main thread. Ctrl-C ends the process as it always does.
    package func run() throws {
        try MainThreadExecutor.run(execute)
    }
}
