// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

/// TLS to Redis: version 1.2 or later, and a server whose certificate is verified for its name before a byte is sent.
struct RedisTLS: Sendable {
    private let context: NIOSSLContext
    private let verifier: PeerVerifier

    /// Reads the files of the command line.
    ///
    /// - Parameters:
    ///   - authorities: The certificates of authorities, in place of the system's.
    ///   - certificate: The chain of this client, for servers that ask for it.
    ///   - key: The private key of this client.
    /// - Throws: ``CommandFailure`` if a file cannot be read or is malformed.
    init(
        authorities: FileArgument?,
        certificate: FileArgument? = nil,
        key: FileArgument? = nil
    ) throws(CommandFailure) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // The verifier takes the place of NIO's checks, of chains and of names.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.verifySignatureAlgorithms = [
            .ecdsaSecp256R1Sha256, .ecdsaSecp384R1Sha384, .ecdsaSecp521R1Sha512, .ed25519, .rsaPssRsaeSha256,
            .rsaPssRsaeSha384, .rsaPssRsaeSha512, .rsaPkcs1Sha256, .rsaPkcs1Sha384, .rsaPkcs1Sha512,
        ]
        if let certificate, let key {
            let identity = try TLSFiles(certificate: certificate, key: key).configuration()
            configuration.certificateChain = identity.certificateChain
            configuration.privateKey = identity.privateKey
        }
        let bytes: [UInt8]?
        if let authorities { bytes = try ServerFile.read(authorities, upTo: 4 << 20) } else { bytes = nil }
        do throws(PeerVerifier.Failure) {
            verifier = try PeerVerifier(authorities: bytes)
        } catch {
            let name = authorities?.quotedForMessage ?? "the system's certificates"
            throw CommandFailure(.malformed, "\(name): \(error.message)")
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CommandFailure(.malformed, "TLS cannot be set up: \(error)")
        }
    }

    /// Returns what encrypts one connection.
    ///
    /// - Parameters:
    ///   - host: The name or the address that the certificate must be for.
    ///   - problem: Becomes the reason why the server is not trusted.
    /// - Returns: The handler, the first one of the pipeline.
    /// - Throws: An error of NIO if the host cannot be a name.
    func handler(for host: String, problem: NIOLockedValueBox<String?>) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(
            context: context,
            serverHostname: PeerVerifier.isAddress(host) ? nil : host,
            customVerificationCallback: { [verifier] chain, promise in
                let found: String?
                do {
                    found = verifier.problem(of: try chain.map { try $0.toDERBytes() }, host: host)
                } catch {
                    found = "it sent no valid certificate"
                }
                problem.withLockedValue { $0 = found }
                promise.succeed(found == nil ? .certificateVerified : .failed)
            }
        )
    }
}
