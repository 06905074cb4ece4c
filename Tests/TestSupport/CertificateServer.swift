// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// A server on 127.0.0.1 with a port for each kind of certificate of ``CertificateCase``: certificate_server.py. It ends with this
/// object, or when the test process exits for any reason.
public final class CertificateServer {
    private struct Start: Decodable {
        let authority: String
        let ports: [String: Int]
    }

    /// The path of the authority's certificate.
    public let authority: String
    /// The port of each kind.
    public let ports: [String: Int]

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the server.
    ///
    /// - Throws: `XCTSkip` if it ends before it is ready, and the error that prevents it from starting.
    public init() throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", TestScripts.path("certificate_server.py")]
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.standardInput = input
        process.standardOutput = output
        try process.start()
        let start = try JSONDecoder().decode(Start.self, from: try Self.line(from: output))
        (authority, ports) = (start.authority, start.ports)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitForExit()
    }

    /// Asks how many connections got a byte of their client after the handshake.
    ///
    /// - Returns: The number of each kind.
    /// - Throws: `XCTSkip` if the server has ended.
    public func requestCounts() throws -> [String: Int] {
        try input.fileHandleForWriting.write(contentsOf: Data("requests\n".utf8))
        return try JSONDecoder().decode([String: Int].self, from: try Self.line(from: output))
    }

    private static func line(from output: Pipe) throws -> Data {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let next = output.fileHandleForReading.availableData
            guard !next.isEmpty else { throw XCTSkip("the server of certificates ended") }
            line += next
        }
        return line
    }
}
