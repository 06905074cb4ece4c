// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

/// Serves every kind of certificate over TLS, and compares the result with the curl command.
final class CertificateTests: XCTestCase {
    private var server: FaultyPeer!

    override func setUpWithError() throws { server = try FaultyPeer("certificate_server.py") }

    override func tearDown() { server = nil }

    private func resolutions() throws -> [HostResolution] {
        try CertificateCase.all.filter { !$0.isAddress }.map {
            try HostResolution(
                host: $0.host.lowercased(),
                port: try server.port(of: $0.kind),
                addresses: ["127.0.0.1"]
            )
        }
    }

    func testCertificatesAreAcceptedOrRefusedAsRequired() async throws {
        XCTAssertGreaterThanOrEqual(Set(CertificateCase.all.map(\.kind)).count, 50)
        XCTAssertEqual(Set(CertificateCase.all.map(\.kind)), Set(server.ports.keys))
        var connection = ConnectionSettings()
        connection.trustedCertificates = .file(server.authority)
        connection.resolutions = try resolutions()
        connection.proxy = .none
        let runner = RequestRunner(
            transport: try CurlTransport(.init(connection: connection)),
            rules: .init(credentialOrigins: []),
            total: .seconds(60)
        )
        for row in CertificateCase.all {
            let url = try HTTPURL("https://\(row.host):\(server.port(of: row.kind))/")
            do {
                let response = try await runner.run(OutgoingRequest(url: url))
                XCTAssertNil(row.refusal, "\(row.kind) for \(row.host) was accepted")
                XCTAssertEqual(response.body, Array("ok".utf8))
            } catch {
                guard let refusal = row.refusal else {
                    XCTFail("\(row.kind) for \(row.host): \(error)")
                    continue
                }
                XCTAssertEqual(error, .untrustedServer, "\(row.kind) for \(row.host): \(error)")
                let host = row.host.lowercased().trimmingCharacters(in: ["[", "]"])
                XCTAssertTrue("\(error)".contains(host), "\(row.kind) for \(row.host): \(error)")
                XCTAssertTrue("\(error)".contains(refusal), "\(row.kind) for \(row.host): \(error)")
            }
        }
        // A refused connection carries no byte of a request.
        let expected = Dictionary(grouping: CertificateCase.all.filter { $0.refusal == nil }, by: \.kind)
            .mapValues(\.count)
        let counts = try server.counts("requests")
        XCTAssertEqual(counts.filter { $0.value > 0 }, expected)
    }

    /// The rows of the table describe curl correctly: where CredKit differs, it is stricter than curl.
    func testCurlCommandBehavesAsInTheTable() throws {
        var arguments = ["--silent", "--noproxy", "*", "--cacert", server.authority, "--output", "/dev/null"]
        arguments += ["--write-out", "%{exitcode}\\n"]
        for resolution in try resolutions() {
            arguments += ["--resolve", "\(resolution.host):\(resolution.port):127.0.0.1"]
        }
        for row in CertificateCase.all {
            arguments += ["https://\(row.host):\(try server.port(of: row.kind))/", "--output", "/dev/null"]
        }
        let results = try Program.run(["curl"] + arguments).lines.map { Int($0) }
        XCTAssertEqual(results.count, CertificateCase.all.count)
        for (row, result) in zip(CertificateCase.all, results) {
            let expected: [Int] = row.curlAccepts ? [0] : [35, 60]
            XCTAssertTrue(
                expected.contains(result ?? -1),
                "\(row.kind) for \(row.host): curl ended with \(result ?? -1)"
            )
            XCTAssertTrue(row.refusal != nil || row.curlAccepts, "\(row.kind): CredKit is laxer than curl")
        }
    }
}

extension CertificateCase {
    var isAddress: Bool { host == "127.0.0.1" || host.hasPrefix("[") }
}
