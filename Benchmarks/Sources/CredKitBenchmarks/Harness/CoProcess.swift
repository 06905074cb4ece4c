// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A child process that performs and measures work on command: Python, or this program with other kernels, which the
/// library chooses once per process.
///
/// It reads lines and answers each with one, `ok …` or `error …`:
///
/// - `name`: the name of the process
/// - `check OPERATION SIZE`: the MD5 of the result for the first SIZE bytes of the input
/// - `time OPERATION SIZE ITERATIONS`: the processor time of the iterations in nanoseconds
final class CoProcess {
    let name: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the process. By convention the last argument is the file with the shared input.
    init(_ name: String, _ command: [String], environment: [String: String] = [:]) throws {
        self.name = name
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        do {
            try process.run()
        } catch {
            throw Failure(description: "\(command[0]) cannot be started: \(error)")
        }
    }

    deinit {
        // It ends with its input.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Sends a line and waits for the answer.
    func ask(_ line: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        var bytes: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n")
        {
            bytes.append(byte)
        }
        let answer = String(decoding: bytes, as: UTF8.self)
        guard answer.hasPrefix("ok ") else {
            throw Failure(description: "\(name) answers '\(line)' with '\(answer)'")
        }
        return String(answer.dropFirst(3))
    }

    func seconds(_ operation: String, size: Int, iterations: Int) throws -> Double {
        let answer = try ask("time \(operation) \(size) \(iterations)")
        guard let nanoseconds = Double(answer) else {
            throw Failure(description: "\(name) answers with '\(answer)', which is not a time")
        }
        return nanoseconds / 1e9
    }
}

extension CoProcess {
    /// This program again, with the given kernels, or with the best available ones.
    convenience init(_ path: KernelPath?, data: String) throws {
        let name = path.map { "CredKit with \($0.rawValue)" } ?? "CredKit"
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        // An outside setting must not choose kernels for the automatic variant.
        let environment = [KernelPath.variable: path?.rawValue ?? ""]
        try self.init(name, [program, "worker", data], environment: environment)
        let answer = try ask("name")
        if let path, answer != path.rawValue {
            throw Failure(description: "\(name) uses the kernels '\(answer)'")
        }
    }

    /// Python with pybase64.
    static func python(_ options: Options, data: String) throws -> CoProcess {
        let python = try CoProcess("python", [options.python, options.pythonWorker, data])
        _ = try python.ask("name")
        return python
    }
}
