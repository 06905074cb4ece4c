// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitServer
@testable import CredKitServerCommand

/// TLS to a real Redis server.
final class RedisTLSTests: RedisTestCase {
    /// Certificates of an authority: for a server on localhost and 127.0.0.1, for another server, and for a client.
    private func certificates() throws -> URL {
        let folder = URL(fileURLWithPath: try TemporaryFolder.make())
        addTeardownBlock { try? FileManager.default.removeItem(at: folder) }
        let script = """
            set -e
            key() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out $1.key; }
            key ca; openssl req -x509 -key ca.key -subj /CN=ca -days 2 -out ca.pem
            sign() {
                key $1; openssl req -new -key $1.key -subj /CN=localhost -out $1.csr
                printf 'basicConstraints=CA:FALSE\\n%s\\n' "$2" > $1.ext
                openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $1.ext -out $1.pem
            }
            sign server 'subjectAltName=DNS:localhost,IP:127.0.0.1'
            sign other 'subjectAltName=DNS:other.test'
            sign nameless ''
            sign client 'extendedKeyUsage=clientAuth'
            """
        try Program.succeed(["sh", "-c", script], in: folder, errors: .joined)
        return folder
    }

    private func server(_ folder: URL, certificate: String, clients: String) throws -> RedisServer {
        try RedisServer([
            "port 0", "tls-port PORT", "tls-cert-file \(folder.path)/\(certificate).pem",
            "tls-key-file \(folder.path)/\(certificate).key", "tls-ca-cert-file \(folder.path)/ca.pem",
            "tls-auth-clients \(clients)", "requirepass s3cret",
        ])
    }

    private func tls(_ folder: URL, authority: String = "ca", withClient: Bool = false) throws -> RedisTLS {
        func file(_ name: String) -> FileArgument { FileArgument(argument: "\(folder.path)/\(name)") }
        return try RedisTLS(
            authorities: file("\(authority).pem"),
            certificate: withClient ? file("client.pem") : nil,
            key: withClient ? file("client.key") : nil
        )
    }

    private func start(_ server: RedisServer, _ host: String, _ tls: RedisTLS) async -> SharedStateError
        .Code?
    {
        await errorCode {
            let client = try self.client(
                "rediss://\(host):\(server.port)",
                password: "s3cret",
                security: .tls(tls)
            )
            try await client.start()
            let answer = try await client.echo(String(repeating: "a", count: 100_000))
            XCTAssertEqual(answer?.count, 100_000)
        }
    }

    func testServerIsVerifiedForItsName() async throws {
        let folder = try certificates()
        let good = try server(folder, certificate: "server", clients: "no")
        for host in ["localhost", "127.0.0.1"] {
            let seen = await start(good, host, try tls(folder))
            XCTAssertNil(seen, host)
        }
        // Another authority; and no TLS on the other side.
        var seen = await start(good, "localhost", try tls(folder, authority: "server"))
        XCTAssertEqual(seen, .untrustedServer)
        let plain = try RedisServer()
        seen = await start(plain, "localhost", try tls(folder))
        XCTAssertTrue(
            seen == .untrustedServer || seen == .disconnected || seen == .timedOut,
            "\(seen?.rawValue ?? "")"
        )
        for certificate in ["other", "nameless"] {
            let bad = try server(folder, certificate: certificate, clients: "no")
            for host in ["localhost", "127.0.0.1"] {
                let seen = await start(bad, host, try tls(folder))
                XCTAssertEqual(seen, .untrustedServer, "\(certificate) for \(host)")
            }
        }
    }

    func testClientPresentsItsCertificate() async throws {
        let folder = try certificates()
        let server = try server(folder, certificate: "server", clients: "yes")
        var seen = await start(server, "localhost", try tls(folder, withClient: true))
        XCTAssertNil(seen)
        seen = await start(server, "localhost", try tls(folder))
        XCTAssertNotNil(seen)
    }

    func testServerWithoutAnAnswerToTheHandshakeIsNamed() async throws {
        let folder = try certificates()
        let silent = try FakeRedis { _ in .nothing }
        let client = try client(
            "rediss://localhost:\(silent.port)",
            security: .tls(try tls(folder)),
            loops: 1
        )
        let seen = await errorCode { try await client.start() }
        XCTAssertEqual(seen, .timedOut)
    }

    func testFilesWithoutCertificatesAreRefused() throws {
        let folder = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for text in ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            try Data(text.utf8).write(to: folder)
            XCTAssertThrowsError(try RedisTLS(authorities: FileArgument(argument: folder.path))) { error in
                XCTAssertEqual((error as? CommandFailure)?.status, .malformed)
            }
        }
    }
}
