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

    /// Reads both, for TLS 1.2 and later.
    func identity() throws(CommandFailure) -> ServerTLS.Identity {
        let chain = try read(certificate, "no PEM file with a certificate") { bytes in
            try NIOSSLCertificate.fromPEMBytes(bytes)
        }
        let privateKey = try read(key, "no PEM file with a private key without a passphrase") { bytes in
            try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        }
        guard let own = chain.first else {
            throw CommandFailure(.malformed, "\(certificate.quotedForMessage): there is no certificate in it")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(privateKey)
        )
        configuration.minimumTLSVersion = .tlsv12
        let context: NIOSSLContext
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CommandFailure(
                .malformed,
                "\(key.quotedForMessage): is not the key of the certificate in \(certificate.quotedForMessage)"
            )
        }
        return ServerTLS.Identity(
            context: context,
            binding: Result { () throws(CommandFailure) in try binding(to: own) },
            expiry: UnixTime(Int64(own.notValidAfter))
        )
    }

    /// Returns the channel binding to the certificate of the server.
    private func binding(to own: NIOSSLCertificate) throws(CommandFailure) -> SCRAM.ChannelBinding {
        do {
            return try .serverEndPoint(certificate: own.toDERBytes())
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
