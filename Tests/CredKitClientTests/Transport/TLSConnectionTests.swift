// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitTestSupport
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// The TLS connection details that are reported before a request is sent, compared with the output of `openssl
/// s_server`.
final class TLSConnectionTests: XCTestCase {
    private var folder: URL!

    /// A running `openssl s_server`: it prints the bytes it receives, and sends the bytes it reads.
    private struct Server {
        var process: Process
        var input: Pipe
        var output: Pipe
        var port: UInt16

        func answer() throws {
            try input.fileHandleForWriting.write(
                contentsOf: Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
            )
        }
    }

    /// The recorded properties of a connection.
    private struct Seen: Sendable {
        var certificate: [UInt8] = []
        var material: [UInt8]?
        var exporter: [UInt8]?
    }

    override func setUpWithError() throws {
        folder = URL(fileURLWithPath: try TemporaryFolder.make())
        try openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            path("key.pem"),
            "-out",
            path("certificate.pem"),
            "-subj",
            "/CN=test",
            "-addext",
            "subjectAltName=DNS:localhost"
        )
        try openssl(
            "x509",
            "-in",
            path("certificate.pem"),
            "-outform",
            "DER",
            "-out",
            path("certificate.der")
        )
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func openssl(_ arguments: String...) throws {
        try Program.succeed(["openssl"] + arguments, errors: .kept)
    }

    /// Starts `openssl s_server` on a free port; it prints the keying material of each connection.
    private func server(_ version: String) throws -> Server {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", path("certificate.pem"), "-key", path("key.pem"),
            version,
            "-keymatexport", "EXPORTER-Channel-Binding", "-keymatexportlen", "32",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let input = Pipe()
        process.standardInput = input
        try process.start()
        let line = try XCTUnwrap(read(output, to: "ACCEPT"))
        let port = try XCTUnwrap(line.split(separator: ":").last.flatMap { UInt16($0) })
        return Server(process: process, input: input, output: output, port: port)
    }

    /// Waits for the first line that contains a text.
    private func read(_ pipe: Pipe, to text: String) -> String? {
        var line: [UInt8] = []
        while let byte = (try? pipe.fileHandleForReading.read(upToCount: 1))?.first {
            if byte == 10 {
                let found = String(decoding: line, as: UTF8.self)
                if text.isEmpty || found.contains(text) { return found.trimmingCharacters(in: .whitespaces) }
                line = []
            } else {
                line.append(byte)
            }
        }
        return nil
    }

    private static func send(
        to port: UInt16,
        trusting certificates: String,
        _ inspect: @escaping @Sendable (borrowing TLSConnection) -> Bool
    ) async throws -> TransportResponse {
        let transport = try CurlTransport(.trusting(certificates))
        var options = TransferOptions()
        options.inspectConnection = inspect
        return try await transport.send(
            HTTPRequest(method: .get, scheme: "https", authority: "localhost:\(port)", path: "/"),
            body: nil,
            deadline: .now + .seconds(20),
            options: options
        )
    }

    /// Under TLS 1.2, s_server exports without a context, and RFC 9266 requires an empty one, so this test passes none.
    func testKeyingMaterialMatchesTheServer() async throws {
        for version in ["-tls1_3", "-tls1_2"] {
            let server = try server(version)
            defer { server.process.terminate() }
            let seen = Lock(Seen())
            let certificates = path("certificate.pem")
            async let response = Self.send(to: server.port, trusting: certificates) { connection in
                let material = connection.exportKeyingMaterial(
                    label: "EXPORTER-Channel-Binding",
                    context: nil,
                    byteCount: 32
                )
                let found = Seen(
                    certificate: connection.peerCertificate,
                    material: material,
                    exporter: connection.exporter
                )
                seen.withLock { $0 = found }
                return true
            }
            let line = try XCTUnwrap(read(server.output, to: "Keying material: "))
            XCTAssertNotNil(read(server.output, to: "GET / HTTP/1.1"))
            try server.answer()
            let status = try await response.head.status.code
            XCTAssertEqual(status, 200)
            let found = seen.withLock { $0 }
            let own = found.material?.map { String(format: "%02X", $0) }.joined()
            XCTAssertEqual(own, line.split(separator: " ").last.map(String.init), version)
            XCTAssertEqual(
                Data(found.certificate),
                try Data(contentsOf: folder.appending(path: "certificate.der"))
            )
            XCTAssertEqual(found.exporter == found.material, version == "-tls1_3")
            XCTAssertEqual(found.exporter?.count, 32)
        }
    }

    func testRequestIsNotSentOverARefusedConnection() async throws {
        let server = try server("-tls1_3")
        defer { server.process.terminate() }
        let certificates = path("certificate.pem")
        await assertThrows(.untrustedServer) {
            try await Self.send(to: server.port, trusting: certificates) { _ in false }
        }
        async let response = Self.send(to: server.port, trusting: certificates) { _ in true }
        var lines: [String] = []
        repeat {
            lines.append(try XCTUnwrap(read(server.output, to: "")))
        } while lines.last?.hasPrefix("GET") != true
        XCTAssertEqual(lines.count { $0.contains("Keying material: ") }, 2)
        try server.answer()
        let status = try await response.head.status.code
        XCTAssertEqual(status, 200)
    }
}
