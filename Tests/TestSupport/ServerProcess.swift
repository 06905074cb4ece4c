// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import Foundation
import XCTest

/// Runs a server as a separate process that prints its address on the first line.
public final class ServerProcess {
    /// The server's address, without a trailing slash.
    public let url: String

    private let process = Process()
    private let output = Pipe()
    /// The file with the server's standard error.
    public let errorFile: URL

    /// Starts a bash script in the shell's folder, with the built command in its path, and waits for the address.
    public init(_ shell: Shell, _ script: String) throws {
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
        try process.start()
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

    /// A server that ended before it printed an address.
    public struct NotStarted: Error {
        /// Its standard error.
        public let errors: String
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// The number of the server's process.
    public var processIdentifier: Int32 { process.processIdentifier }

    /// The server's standard error so far.
    public var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

    /// The server's standard output after its address, once it has exited.
    public var rest: Data { output.fileHandleForReading.readDataToEndOfFile() }

    /// Terminates the server, and returns its exit status.
    public func stop(with signal: Int32 = SIGTERM) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitForExit()
        return process.terminationStatus
    }
}
