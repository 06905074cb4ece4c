// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer
import CredKitTestSupport
import Foundation
import XCTest

/// Every kind of certificate, as for the client's transport, behind PostgreSQL's request for TLS.
final class PostgreSQLCertificateTests: XCTestCase {
    private var server: CertificateServer!

    override func setUpWithError() throws { server = try CertificateServer() }

    override func tearDown() { server = nil }

    /// What differs from the client, which has a list of public suffixes.
    private static let exceptions = ["suffix-wildcard"]

    func testServersAreTrustedOrRefusedAsRequired() async throws {
        XCTAssertEqual(Set(CertificateCase.all.map(\.kind)), Set(server.ports.keys))
        var expected: [String: Int] = [:]
        for row in CertificateCase.all {
            let host = row.host.filter { $0 != "[" && $0 != "]" }
            let port = try XCTUnwrap(server.ports[row.kind])
            // Not an address that is always this machine's, so that the certificate counts without a sslmode.
            let isTrusted = try await isTrusted(
                "host=\(host) hostaddr=127.0.0.2 port=\(port) user=a dbname=a"
            )
            let expectation = row.refusal == nil || Self.exceptions.contains(row.kind)
            XCTAssertEqual(isTrusted, expectation, "\(row.kind) for \(row.host)")
            if expectation { expected[row.kind, default: 0] += 1 }
        }
        // A refused server gets no byte of the message that names the user.
        let counts = try server.requestCounts()
        XCTAssertEqual(counts.filter { $0.value > 0 }, expected)
    }

    /// The same for a loopback address, whose servers need no certificate unless the connection string says so.
    func testTheConnectionStringCanRequireACertificate() async throws {
        func connection(_ kind: String, _ mode: String) throws -> String {
            let port = try XCTUnwrap(server.ports[kind])
            return "host=www.school.test hostaddr=127.0.0.1 port=\(port) user=a dbname=a sslmode=\(mode)"
        }
        for (kind, mode, expectation) in [
            ("name", "verify-full", true), ("common-name", "verify-full", false),
            ("self-signed", "verify-full", false), ("self-signed", "require", true),
        ] {
            let isTrusted = try await isTrusted(try connection(kind, mode))
            XCTAssertEqual(isTrusted, expectation, "\(kind) with \(mode)")
        }
    }

    /// Returns whether a server got the first message inside TLS, after which it closes the connection.
    private func isTrusted(_ connection: String) async throws -> Bool {
        var settings = PostgreSQLSettings(connection)
        settings.authorities = server.authority
        let client = try PostgreSQLClient(settings)
        do {
            _ = try await client.run(SQLStatement("test", "SELECT 1"), parameters: [], within: .seconds(30))
            throw XCTSkip("the server of certificates answers like PostgreSQL")
        } catch let error as SharedStateError {
            let codes: [SharedStateError.Code] = [.disconnected, .untrustedServer]
            XCTAssertTrue(codes.contains(error.code), "\(connection): \(error.code): \(error)")
            return error.code == .disconnected
        }
    }
}
