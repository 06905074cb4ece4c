// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that runs until this object ends it, or until the test process exits for any reason.
final class KeptProgram {
    /// The program ended or gave up before it was ready.
    struct NotReady: Error {
        /// What it wrote.
        let output: String
    }

    /// The number of the program's process.
    private(set) var processID: Int32 = 0

    private let process = Process()
    private let lifeline = Pipe()

    /// Starts a program, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - signal: The name of the signal that ends it, such as `KILL`.
    ///   - folder: The folder in which it runs.
    ///   - prefix: What starts the shell around it, such as `setpriv` with its arguments.
    ///   - environment: Its environment; `nil` for that of the test process.
    ///   - sign: A text that it writes when it is ready.
    ///   - failures: Texts that it writes when it gives up.
    /// - Throws: ``NotReady``, and the error that prevents it from starting.
    init(
        _ command: [String],
        endedBy signal: String,
        in folder: URL,
        through prefix: [String] = [],
        environment: [String: String]? = nil,
        readyAt sign: String,
        failingAt failures: [String] = ["FATAL"]
    ) throws {
        // The shell ends the program when its own input ends: with this object, or with the test process.
        // Its line begins on a new one: a program may write its own in parts.
        let script = """
            signal=$1; shift
            "$@" </dev/null & program=$!; printf '\\nprogram %s\\n' $program
            exec >&- 2>&-
            read -r _; kill -$signal $program; wait $program
            """
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["--default-signal"] + prefix + ["sh", "-c", script, "sh", signal] + command
        process.currentDirectoryURL = folder
        if let environment { process.environment = environment }
        _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.standardInput = lifeline
        let log = Pipe()
        process.standardOutput = log
        process.standardError = log
        try process.start()
        var text = ""
        // Until it is ready or ends: the shell has closed the pipe, so that its end is the program's. A fast program is ready
        // before the shell has written its number, which may stand within a line of the program.
        while true {
            if let number = Self.number(in: text),
                text.replacing("\nprogram \(number)\n", with: "").contains(sign)
            {
                processID = number
                break
            }
            let next = log.fileHandleForReading.availableData
            text += String(decoding: next, as: UTF8.self)
            guard !next.isEmpty, text.contains(sign) || !failures.contains(where: { text.contains($0) })
            else {
                end()
                throw NotReady(output: text)
            }
        }
        // A full pipe would stop the program.
        log.fileHandleForReading.readabilityHandler = { handle in
            if handle.availableData.isEmpty { handle.readabilityHandler = nil }
        }
    }

    deinit { end() }

    /// Returns the number of the program's process, from the whole line in which the shell writes it.
    private static func number(in text: String) -> Int32? {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .first { $0.hasPrefix("program ") }
            .flatMap { Int32($0.dropFirst("program ".count)) }
    }

    /// Ends the program, and waits for that.
    func end() {
        try? lifeline.fileHandleForWriting.close()
        if process.isRunning { process.waitForExit() }
    }
}
