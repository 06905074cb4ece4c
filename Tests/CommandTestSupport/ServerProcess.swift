// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import Foundation
import XCTest

/// A server in a process of its own, whose first line of output is its address.
package final class ServerProcess {
    /// Its address, without a slash at the end.
    package let url: String

    private let process = Process()
    private let output = Pipe()
    private let errorFile: URL

    /// Starts a script of bash in the shell's folder, with the real binary in its path, and waits for the address.
    package init(_ shell: Shell, _ script: String) throws {
        let errorFile = shell.folder.appendingPathComponent("bin/\(UUID().uuidString).err")
        self.errorFile = errorFile
        _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // In place of the shell, so that signals reach it.
        process.arguments = ["--default-signal=PIPE", "/bin/bash", "-c", "exec \(script)"]
        process.currentDirectoryURL = shell.folder
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] =
            shell.binary.deletingLastPathComponent().path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
        var line: [UInt8] = []
        // An end of the output without a line is a server that did not start.
        while line.last != UInt8(ascii: "\n"),
            let byte = try output.fileHandleForReading.read(upToCount: 1)?.first
        {
            line.append(byte)
        }
        let text = String(decoding: line, as: UTF8.self)
        guard text.hasPrefix("listening on http"), text.hasSuffix("\n") else {
            process.waitUntilExit()
            throw NotStarted(errors: (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "")
        }
        url = String(text.dropFirst("listening on ".count).dropLast())
    }

    package struct NotStarted: Error {
        package let errors: String
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// What it wrote to standard error so far.
    package var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

    /// What it wrote to standard output behind its address, once it has ended.
    package var rest: Data { output.fileHandleForReading.readDataToEndOfFile() }

    /// Asks it to end, and answers with its status.
    package func stop(with signal: Int32 = SIGTERM) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationStatus
    }
}
