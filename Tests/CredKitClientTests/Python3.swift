// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Runs programs with the system's python3 and only its standard library.
enum Python3 {
    /// Returns the output of a program for a text on its standard input.
    static func run(_ program: String, input: String = "") throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["in", "out"].map { folder.appending(path: $0) }
        try Data(input.utf8).write(to: files[0])
        try Data().write(to: files[1])
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program]
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitForExit()
        XCTAssertEqual(process.terminationStatus, 0)
        return String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
    }
}
