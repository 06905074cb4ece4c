// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestServers
package import Foundation
import XCTest

/// Runs a server as a separate process that prints its address on the first line.
package final class ServerProcess {
    /// The server's address, without a trailing slash.
    package let url: String

    private let process = Process()
    private let output = Pipe()
    /// The file with the server's standard error.
    package let errorFile: URL

    /// Starts a bash script in the shell's folder, with the built command in its path, and waits for the address.
    package init(_ shell: Shell, _ script: String) throws {
        let errorFile = shell.folder.appendingPathComponent("bin/\(UUID().uuidString).err")
        self.errorFile = errorFile
        _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // exec replaces the shell, so that signals reach the server.
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
        // If the output ends without a line, the server did not start.
        while line.last != UInt8(ascii: "\n"),
            let byte = try output.fileHandleForReading.read(upToCount: 1)?.first
        {
            line.append(byte)
        }
        let text = String(decoding: line, as: UTF8.self)
        guard text.hasPrefix("listening on http"), text.hasSuffix("\n") else {
            process.waitForExit()
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

    package var processIdentifier: Int32 { process.processIdentifier }

    /// The server's standard error so far.
    package var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

    /// Waits until the server's standard error has a text, for a minute at most.
    package func waitForError(_ text: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [
            "-c", #"timeout 60 grep -qm1 -F -e "$1" <(exec tail --pid=$$ -n +1 -f "$0")"#, errorFile.path,
            text,
        ]
        try process.run()
        process.waitForExit()
    }

    /// The server's standard output after its address, once it has exited.
    package var rest: Data { output.fileHandleForReading.readDataToEndOfFile() }

    /// Terminates the server, and returns its exit status.
    package func stop(with signal: Int32 = SIGTERM) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitForExit()
        return process.terminationStatus
    }
}
