// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// One half of an exchange by another implementation, as a process (`scram_peers.py`).
final class SCRAMPeer {
    enum Role: String { case client, server }

    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var received: [UInt8] = []

    init(
        _ name: String,
        _ role: Role,
        mechanism: SCRAM.Mechanism,
        user: String,
        password: String,
        binding: (kind: SCRAM.ChannelBinding.Kind, value: [UInt8])? = nil,
        environment: [String: String] = [:]
    ) throws {
        // scramp is in the environment of the tests, the others belong to the system's Python.
        process.executableURL =
            name == "scramp" ? TestScripts.python : URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments =
            [
                TestScripts.path("scram_peers.py"), name, role.rawValue, "\(mechanism)", user, password,
            ]
            + (binding.map { [$0.kind.rawValue, Hex.encode($0.value)] } ?? [])
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start()
    }

    func send(_ message: String) throws {
        let line = Base64.standard.encode(message.utf8) + "\n"
        try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    }

    /// The next message; the error of the test if the peer has ended instead.
    func receive() throws -> [UInt8] { try Base64.standard.decode(line()) }

    /// Returns whether the peer is content.
    func isContent() throws -> Bool {
        let line = try line()
        process.waitForExit()
        return line == "ok"
    }

    private func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let next = output.fileHandleForReading.availableData
            guard !next.isEmpty else { throw PeerHasEnded() }
            received += next
        }
    }

    struct PeerHasEnded: Error {}
}
