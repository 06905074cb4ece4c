// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// A command whose work is asynchronous.
public protocol AsyncCommand: ParsableCommand {
    /// Performs the work of the command.
    func execute() async throws
}

extension AsyncCommand {
    /// Runs ``execute()`` on the main thread. Ctrl-C ends the process as usual.
    public func run() throws {
        try MainThreadExecutor.run(execute)
    }
}
