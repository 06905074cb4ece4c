// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A process beside this one that works when it is told to and measures itself: python, or this program with
/// other kernels, which the library chooses once per process.
///
/// It reads lines and answers each with one, `ok …` or `error …`:
///
/// - `name`: who it is
/// - `check OPERATION SIZE`: the MD5 of what the operation gives on the first so many bytes of the input
/// - `time OPERATION SIZE ITERATIONS`: how many nanoseconds a processor works for that many repetitions
final class CoProcess {
    let name: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts it. The last argument is by convention the file whose beginning is everybody's input.
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
            throw Failure(description: "\(name) answers with '\(answer)', which is no time")
        }
        return nanoseconds / 1e9
    }
}

extension CoProcess {
    /// This program again, with kernels that are chosen for it, or the best that there are.
    convenience init(_ path: KernelPath?, data: String) throws {
        let name = path.map { "CredKit with \($0.rawValue)" } ?? "CredKit"
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        // Nothing that is set outside may choose for the one that chooses itself.
        let environment = [KernelPath.variable: path?.rawValue ?? ""]
        try self.init(name, [program, "worker", data], environment: environment)
        let answer = try ask("name")
        if let path, answer != path.rawValue {
            throw Failure(description: "\(name) uses the kernels '\(answer)'")
        }
    }

    /// python with pybase64.
    static func python(_ options: Options, data: String) throws -> CoProcess {
        let python = try CoProcess("python", [options.python, options.pythonWorker, data])
        _ = try python.ask("name")
        return python
    }
}
