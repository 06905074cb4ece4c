// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Runs Python programs in the environment that `script/python-environment` creates.
enum Python {
    /// The result of a program.
    struct Outcome {
        var status: Int32
        var output: Data
        var errors: String

        var lines: [String] {
            String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    static let vaultReader = TestScripts.root.appendingPathComponent("script/read-vault.py").path

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - input: Its standard input.
    /// - Returns: The program's output and exit status.
    /// - Throws: The error that prevents it from starting.
    static func run(_ arguments: [String], input: Data = Data()) throws -> Outcome {
        let folder = URL(fileURLWithPath: try TemporaryFolder.make())
        defer { TemporaryFolder.remove(folder.path) }
        let files = ["in", "out", "err"].map { folder.appendingPathComponent($0) }
        try input.write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = TestScripts.python
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        do {
            try process.run()
        } catch {
            XCTFail("there is no .build-python: run script/python-environment first")
            throw error
        }
        process.waitForExit()
        return Outcome(
            status: process.terminationStatus,
            output: try Data(contentsOf: files[1]),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
        )
    }
}
