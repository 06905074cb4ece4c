// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// The python server beside the tests, as a process of its own.
final class LoginServer {
    struct Counts: Decodable {
        var logins: Int
        var data: Int
        var headers: [[[String]]]
    }

    private(set) var port: Int
    private var process: Process
    private var input: Pipe

    var url: String { "http://127.0.0.1:\(port)" }

    init() throws { (process, input, port) = try Self.start(on: 0) }

    deinit { stop() }

    private static func start(on port: Int) throws -> (Process, Pipe, Int) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("login_server.py").path
        process.arguments = ["python3", script, "\(port)"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let more = output.fileHandleForReading.readData(ofLength: 1)
            if more.isEmpty { break }
            line += String(decoding: more, as: UTF8.self)
        }
        return (process, input, try XCTUnwrap(Int(line.dropLast())))
    }

    /// Ends it: whoever connects is refused.
    func stop() {
        guard process.isRunning else { return }
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Starts it anew, on the same port, knowing nobody.
    func start() throws { (process, input, port) = try Self.start(on: port) }

    /// Asks for something that is not part of the protocol.
    @discardableResult
    func ask(_ path: String, method: String = "POST") throws -> Data {
        let curl = Process()
        curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        curl.arguments = [
            "python3", "-c",
            """
            import sys, urllib.request
            request = urllib.request.Request(sys.argv[1], method=sys.argv[2])
            sys.stdout.buffer.write(urllib.request.urlopen(request).read())
            """,
            url + path, method,
        ]
        let output = Pipe()
        curl.standardOutput = output
        try curl.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        curl.waitUntilExit()
        XCTAssertEqual(curl.terminationStatus, 0)
        return data
    }

    var counts: Counts {
        get throws { try JSONDecoder().decode(Counts.self, from: try ask("/admin/counts", method: "GET")) }
    }
}
