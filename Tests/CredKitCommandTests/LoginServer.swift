// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation

/// Runs `logging_login_server.py`, a login server that does not use CredKit.
final class LoginServer {
    let port: Int
    private let process = Process()
    /// The folder of `log`.
    let logFile: URL

    private struct Failure: Error { let message: String }

    /// Starts it.
    init(_ shell: Shell, _ arguments: [String] = []) throws {
        logFile = shell.folder.appendingPathComponent("bin/\(UUID().uuidString).log")
        _ = FileManager.default.createFile(atPath: logFile.path, contents: nil)
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", TestScripts.path("logging_login_server.py")] + arguments
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: logFile)
        process.standardInput = FileHandle.nullDevice
        try process.start()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            process.terminate()
            throw Failure(message: "the server did not start: \(line)")
        }
        self.port = port
    }

    /// The incoming requests and issued secrets, one per line.
    var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

    /// Returns how often a line occurs in the log.
    func count(_ line: String) -> Int { log.split(separator: "\n").filter { $0.hasPrefix(line) }.count }

    /// Cookies, tokens and proofs that the server has seen.
    var secrets: [String] {
        log.split(separator: "\n").filter { $0.hasPrefix("GIVEN") || $0.hasPrefix("PROOF") }
            .flatMap { $0.split(separator: " ").dropFirst().map(String.init) }
    }

    /// Stops the server. After that, another process may reuse its process identifier.
    func stop() {
        if process.isRunning { process.terminate() }
        process.waitForExit()
    }
}
