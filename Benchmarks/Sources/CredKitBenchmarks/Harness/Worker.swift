// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit
import Foundation

/// Runs this program as a co-process: executes and times the operations named on standard input. See ``CoProcess``.
struct Worker {
    private let data: [UInt8]

    /// Serves until standard input ends.
    static func run(_ path: String) throws {
        let worker = Worker(data: try InputFile.read(path))
        while let line = readLine() {
            do {
                print("ok \(try worker.answer(line.split(separator: " ").map(String.init)))")
            } catch {
                print("error \(error)")
            }
        }
    }

    private func answer(_ words: [String]) throws -> String {
        if words == ["name"] { return String(cString: baseline_kernels_name()) }
        guard words.count >= 3, let operation = Workload.Operation(rawValue: words[1]),
            let size = Int(words[2]), (0...data.count).contains(size)
        else { throw Failure(description: "malformed command") }
        let workload = try Workload(operation, Array(data[..<size]))
        switch (words[0], words.count > 3 ? Int(words[3]) : nil) {
        case ("check", nil): return Legacy.MD5.hash(data: try workload.result()).hex
        case ("time", let iterations?) where iterations > 0:
            return "\(try workload.nanoseconds(iterations: iterations))"
        default: throw Failure(description: "malformed command")
        }
    }
}

/// A file of random bytes that all contenders use as input.
struct InputFile {
    /// The size of the largest single message.
    static let byteCount = 16 << 20

    let path: String

    /// Creates the file. The caller removes it.
    init() throws {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("credkit-bench-\(getpid()).data")
            .path
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw Failure(description: "\(path) cannot be written") }
        for _ in 0..<(Self.byteCount >> 20) { try file.write(contentsOf: SecureRandom.bytes(count: 1 << 20)) }
        try file.close()
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    static func read(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
