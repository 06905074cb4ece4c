// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Runs Python programs in the environment that `script/python-environment` creates.
enum Python {
    static let vaultReader = TestScripts.root.appendingPathComponent("script/read-vault.py").path

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - input: Its standard input.
    /// - Returns: The program's output and exit status.
    /// - Throws: The error that prevents it from starting.
    static func run(_ arguments: [String], input: Data = Data()) throws -> Program.Outcome {
        try Program.run([try TestScripts.installedPython()] + arguments, input: input, errors: .kept)
    }
}
