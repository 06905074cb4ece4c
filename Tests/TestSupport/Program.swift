// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Runs programs to their end.
public enum Program {
    /// The result of a program.
    public struct Outcome: Sendable {
        /// The exit status.
        public let status: Int32
        /// The standard output.
        public let output: Data
        /// The standard error, as text, if it was kept.
        public let errors: String

        /// The standard output, as text.
        public var text: String { String(decoding: output, as: UTF8.self) }

        /// The lines of the standard output that are not empty.
        public var lines: [String] {
            output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Where the standard error goes.
    public enum Errors: Sendable {
        /// To that of the test process.
        case shown
        /// To the outcome.
        case kept
        /// To the standard output.
        case joined
    }

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - command: The program, which is searched for in the path, and its arguments.
    ///   - input: The standard input.
    ///   - folder: The folder in which it runs; `nil` for that of the test process.
    ///   - environment: Its environment; `nil` for that of the test process.
    ///   - errors: Where its standard error goes.
    /// - Returns: The output and the exit status, which is 127 if there is no such program.
    /// - Throws: The error that prevents it from starting.
    public static func run(
        _ command: [String],
        input: Data = Data(),
        in folder: URL? = nil,
        environment: [String: String]? = nil,
        errors: Errors = .shown
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // A network library in the test process ignores broken pipes, and child processes inherit that.
        process.arguments = ["--default-signal"] + command
        if let folder { process.currentDirectoryURL = folder }
        if let environment { process.environment = environment }
        // Files, because a full pipe would stop the program, and one that outlives it would keep a pipe open.
        let place = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(place) }
        let files = ["in", "out", "err"].map { URL(fileURLWithPath: "\(place)/\($0)") }
        for (file, bytes) in zip(files, [input, Data(), Data()]) { try bytes.write(to: file) }
        // A process keeps its handles open after its end. With thousands of them, the next process can crash at its start.
        let handles = try [
            FileHandle(forReadingFrom: files[0]), FileHandle(forWritingTo: files[1]),
            FileHandle(forWritingTo: files[2]),
        ]
        defer { for handle in handles { try? handle.close() } }
        process.standardInput = handles[0]
        process.standardOutput = handles[1]
        switch errors {
        case .shown: break
        case .kept: process.standardError = handles[2]
        case .joined: process.standardError = handles[1]
        }
        try process.start()
        process.waitForExit()
        return Outcome(
            status: process.terminationStatus,
            output: try Data(contentsOf: files[1]),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
        )
    }

    /// The exit status of a program is not 0.
    public struct Failure: Error, CustomStringConvertible {
        /// The command, its status and what it said.
        public let description: String
    }

    /// Runs a program that must succeed. It throws, because failed assertions of XCTest are not noticed by Swift Testing.
    ///
    /// - Parameters:
    ///   - command: The program, which is searched for in the path, and its arguments.
    ///   - input: The standard input.
    ///   - folder: The folder in which it runs; `nil` for that of the test process.
    ///   - environment: Its environment; `nil` for that of the test process.
    ///   - errors: Where its standard error goes.
    /// - Returns: The output.
    /// - Throws: ``Failure`` if its exit status is not 0; the error that prevents it from starting.
    @discardableResult
    public static func succeed(
        _ command: [String],
        input: Data = Data(),
        in folder: URL? = nil,
        environment: [String: String]? = nil,
        errors: Errors = .shown
    ) throws -> Outcome {
        let outcome = try run(command, input: input, in: folder, environment: environment, errors: errors)
        let said = errors == .joined ? outcome.text : outcome.errors
        guard outcome.status == 0 else {
            throw Failure(
                description: "\(command.joined(separator: " ")) ended with \(outcome.status): \(said)"
            )
        }
        return outcome
    }
}
