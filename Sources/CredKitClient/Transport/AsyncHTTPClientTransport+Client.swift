// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL

extension AsyncHTTPClientTransport {
    static var standard: HTTPClient.Configuration { clientConfiguration(Configuration(), roots: nil) }

    static func clientConfiguration(
        _ configuration: Configuration
    ) throws(LoginError) -> HTTPClient.Configuration {
        guard case .file(let path) = configuration.trustedCertificates else {
            return clientConfiguration(configuration, roots: nil)
        }
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw .untrustedServer("the file of trusted certificates cannot be read: \(path)")
        }
        guard !certificates.isEmpty else {
            throw .untrustedServer("the file of trusted certificates has none: \(path)")
        }
        return clientConfiguration(configuration, roots: certificates)
    }

    private static func clientConfiguration(
        _ configuration: Configuration,
        roots: [NIOSSLCertificate]?
    ) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        // RFC 8996 has given up what is older. NIOSSL still begins with TLS 1.0.
        tls.minimumTLSVersion = .tlsv12
        if let roots { tls.trustRoots = .certificates(roots) }
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, configuration.maximumConnectionsPerHost)
        // A server that is not there is one to tell about at once, not to knock at until the deadline.
        pool.retryConnectionEstablishment = false
        var client = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(configuration.connectTimeout),
                read: TimeAmount(configuration.idleTimeout)
            ),
            connectionPool: pool,
            // A compressed body could become any size.
            decompression: .disabled
        )
        client.httpVersion = .http1Only
        client.http1_1ConnectionDebugInitializer = { ResponseStatusGuard.install(on: $0) }
        // Spans have URLs in them, with their queries, and headers of theirs would go to every host.
        client.tracing.tracer = nil
        return client
    }
}
