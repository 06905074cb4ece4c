// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTestSupport
import Foundation
import XCTest

/// A Python program that acts as a peer. It prints one line of JSON when it is ready and one for each command. It exits
/// when its standard input closes: with this object, or when the test process exits for any reason.
final class Peer: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// Input that was received but not read yet. The lock is held for one command and its answer.
    private let buffer = Lock(Data())

    /// The line that the peer printed when it was ready.
    let start: Data

    /// Starts one of the tests' programs, with the first python3 of the search path if no other is named.
    init(_ script: String, _ arguments: [String] = [], python: String = "python3") throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [python, TestScripts.path(script)] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.start()
        let output = output
        start = try buffer.withLock { try Self.line(from: output, &$0) }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitForExit()
    }

    func started<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: start)
    }

    /// Sends a command and returns its answer.
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

/// The peer exited before it answered; its standard error has the reason.
enum PeerError: Error { case ended }
