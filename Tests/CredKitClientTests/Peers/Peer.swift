// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import Foundation
import XCTest

/// A python program beside the tests that acts as a peer. It answers one line of JSON when it is ready and one for each
/// command, and ends when its standard input does: with this object, and with the test process however that dies.
final class Peer: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// What came in and was not read. Its lock is held for a whole question and its answer.
    private let buffer = Lock(Data())

    /// The line that it printed when it was ready.
    let start: Data

    /// Starts a program of this folder.
    init(_ script: String, _ arguments: [String] = []) throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: script).path
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", path] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let output = output
        start = try buffer.withLock { try Self.line(from: output, &$0) }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func started<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: start)
    }

    /// Sends a command and waits for its answer.
    func ask<Value: Decodable>(_ command: some Encodable, as type: Value.Type) throws -> Value {
        let question = try JSONEncoder().encode(command) + Data("\n".utf8)
        let answer = try buffer.withLock { buffer in
            try input.fileHandleForWriting.write(contentsOf: question)
            return try Self.line(from: output, &buffer)
        }
        return try JSONDecoder().decode(type, from: answer)
    }

    private static func line(from pipe: Pipe, _ buffer: inout Data) throws -> Data {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer = Data(buffer[buffer.index(after: end)...]) }
                return Data(buffer[..<end])
            }
            let piece = pipe.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw PeerError.ended }
            buffer += piece
        }
    }
}

/// A peer ended before it answered: what it wrote to standard error says why.
enum PeerError: Error { case ended }
