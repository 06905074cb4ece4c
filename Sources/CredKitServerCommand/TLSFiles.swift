// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKit
import CredKitTerminal
import Glibc
import NIOSSL

/// The certificate chain and the private key of the server.
struct TLSFiles {
    let certificate: FileArgument
    let key: FileArgument

    /// Returns a configuration with both, for TLS 1.2 and later.
    func configuration() throws(CommandFailure) -> TLSConfiguration {
        let chain: [NIOSSLCertificateSource] = try read(certificate, "no PEM file with a certificate") {
            bytes in
            try NIOSSLCertificate.fromPEMBytes(bytes).map { .certificate($0) }
        }
        let privateKey = try read(key, "no PEM file with a private key without a passphrase") { bytes in
            try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        }
        guard !chain.isEmpty else {
            throw CommandFailure(.malformed, "\(certificate.quotedForMessage): there is no certificate in it")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain,
            privateKey: .privateKey(privateKey)
        )
        configuration.minimumTLSVersion = .tlsv12
        do {
            // The server creates its own context; this one only detects a key that does not match.
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CommandFailure(
                .malformed,
                "\(key.quotedForMessage): is not the key of the certificate in \(certificate.quotedForMessage)"
            )
        }
        return configuration
    }

    /// Returns the channel binding to the certificate of the server.
    func binding() throws(CommandFailure) -> SCRAM.ChannelBinding {
        let bytes = try read(certificate, "no PEM file with a certificate") { bytes in
            try NIOSSLCertificate.fromPEMBytes(bytes).first?.toDERBytes() ?? []
        }
        do throws(SCRAM.Error) {
            return try .serverEndPoint(certificate: bytes)
        } catch {
            throw CommandFailure(.malformed, "\(certificate.quotedForMessage): \(error)")
        }
    }

    private func read<Value>(
        _ file: FileArgument,
        _ complaint: String,
        _ parse: ([UInt8]) throws -> Value
    ) throws(CommandFailure) -> Value {
        let bytes = try ServerFile.read(file, upTo: 1 << 20)
        do {
            return try parse(bytes)
        } catch {
            throw CommandFailure(.malformed, "\(file.quotedForMessage): \(complaint)")
        }
    }
}
#endif
