// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitCommandTestSupport
import Foundation

/// `login_server.py`, running: a login server that has nothing of CredKit in it.
final class LoginServer {
    let port: Int
    private let process = Process()
    /// Where `log` is.
    let logFile: URL

    private struct Failure: Error { let message: String }

    /// Starts it.
    init(_ shell: Shell, _ arguments: [String] = []) throws {
        logFile = shell.folder.appendingPathComponent("bin/\(UUID().uuidString).log")
        _ = FileManager.default.createFile(atPath: logFile.path, contents: nil)
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("login_server.py")
        process.arguments = ["python3", script.path] + arguments
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: logFile)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            process.terminate()
            throw Failure(message: "the server did not start: \(line)")
        }
        self.port = port
    }

    /// What requests came in, and what was given out, one a line.
    var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

    /// How often a line stands in the log.
    func count(_ line: String) -> Int { log.split(separator: "\n").filter { $0.hasPrefix(line) }.count }

    /// Cookies, tokens and proofs that were seen.
    var secrets: [String] {
        log.split(separator: "\n").filter { $0.hasPrefix("GIVEN") || $0.hasPrefix("PROOF") }
            .flatMap { $0.split(separator: " ").dropFirst().map(String.init) }
    }

    /// Ends it. Its process identifier may be another's once it has ended.
    func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}
