// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CredKitClient
import NIOCore
import NIOSSL
import RequestLoad

/// Sends requests through AsyncHTTPClient, for comparison with CredKit's session: directly, and as the transport of a
/// session. Reads commands from standard input.
///
/// usage: AsyncHTTPClientProgram CERTIFICATES NAME=URL…
@main
struct AsyncHTTPClientProgram {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let certificates = arguments.first else { throw Misused() }
        var servers: [String: String] = [:]
        for argument in arguments.dropFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw Misused() }
            servers[String(parts[0])] = String(parts[1])
        }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificates))
        tls.minimumTLSVersion = .tlsv12
        let client = HTTPClient(
            configuration: .init(
                tlsConfiguration: tls,
                timeout: .init(connect: .seconds(10), read: .seconds(15))
            )
        )
        let sessions = SessionRequests(servers: servers) { AsyncHTTPClientTransport(client: client) }
        let known = servers
        await RequestLoad.answer { name, scheme, load in
            guard let server = known[scheme] else { throw SessionRequests.UnknownScheme() }
            guard name == "bare" else {
                let session = try await sessions.session(scheme)
                // Each request is sent, as with the clients beside it.
                let endpoint = Endpoint<[UInt8]>.get("/data").setting(\.duplicates, to: .allow)
                return try await load.run { try await session.value(of: endpoint).count }
            }
            var request = HTTPClientRequest(url: server + "/data")
            // The same headers as a session sends.
            request.headers.add(name: "user-agent", value: RequestLoad.userAgent)
            request.headers.add(name: "cookie", value: RequestLoad.cookie)
            request.headers.add(name: "x-auth-token", value: RequestLoad.token)
            let bareRequest = request
            return try await load.run {
                let response = try await client.execute(bareRequest, timeout: .seconds(30))
                return try await response.body.collect(upTo: 1 << 20).readableBytes
            }
        }
        try await client.shutdown()
    }

    struct Misused: Error {}
}
