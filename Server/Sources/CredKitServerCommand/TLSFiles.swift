// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Glibc
import NIOCore
import NIOSSL

/// The certificate chain and the private key of the server.
struct TLSFiles {
    let certificate: FileArgument
    let key: FileArgument

    /// Reads both, for TLS 1.2 and later.
    func identity() throws(CommandFailure) -> ServerTLS.Identity {
        let chain = try self.chain()
        let context = try matched(chain).context
        return ServerTLS.Identity(
            context: context,
            binding: Result { () throws(CommandFailure) in try binding(to: chain[0]) },
            beginning: UnixTime(Int64(chain[0].notValidBefore)),
            expiry: UnixTime(Int64(chain[0].notValidAfter))
        )
    }

    /// Reads both, for the certificate of a client.
    func configuration() throws(CommandFailure) -> TLSConfiguration { try matched(chain()).configuration }

    /// Returns what uses the chain and its key, for TLS 1.2 and later.
    private func matched(
        _ chain: [NIOSSLCertificate]
    ) throws(CommandFailure) -> (configuration: TLSConfiguration, context: NIOSSLContext) {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try privateKey())
        )
        configuration.minimumTLSVersion = .tlsv12
        // A client that never says that it closes would keep the descriptor.
        configuration.shutdownTimeout = .milliseconds(100)
        do {
            return (configuration, try NIOSSLContext(configuration: configuration))
        } catch {
            throw CommandFailure(
                .malformed,
                "\(key.quotedForMessage): is not the key of the certificate in \(certificate.quotedForMessage)"
            )
        }
    }

    /// Reads both for the server.
    ///
    /// - Parameters:
    ///   - requiresBinding: Whether a certificate without channel binding is refused.
    ///   - problems: Gets what is wrong with each of them.
    /// - Returns: Both; `nil` if something is wrong.
    func serverTLS(requiresBinding: Bool, _ problems: inout [CommandFailure]) -> ServerTLS? {
        let count = problems.count
        ServerLines.collect(&problems) { () throws(CommandFailure) in _ = try chain() }
        ServerLines.collect(&problems) { () throws(CommandFailure) in _ = try privateKey() }
        guard problems.count == count else { return nil }
        var tls: ServerTLS?
        ServerLines.collect(&problems) { () throws(CommandFailure) in
            tls = try ServerTLS(self, requiresBinding: requiresBinding)
        }
        return tls
    }

    /// Returns why clients refuse the certificate at this time; `nil` if they do not.
    func problem(of identity: ServerTLS.Identity) -> CommandFailure? {
        let reason: String
        if identity.beginning > .now {
            reason = "the certificate is not valid before \(identity.beginning)"
        } else if identity.expiry <= .now {
            reason = "the certificate has expired at \(identity.expiry)"
        } else {
            return nil
        }
        return CommandFailure(.malformed, "\(certificate.quotedForMessage): \(reason)")
    }

    private func chain() throws(CommandFailure) -> [NIOSSLCertificate] {
        let chain = try read(certificate, "no PEM file with a certificate") { bytes in
            try NIOSSLCertificate.fromPEMBytes(bytes)
        }
        guard !chain.isEmpty else {
            throw CommandFailure(.malformed, "\(certificate.quotedForMessage): there is no certificate in it")
        }
        return chain
    }

    private func privateKey() throws(CommandFailure) -> NIOSSLPrivateKey {
        try read(key, "no PEM file with a private key without a passphrase") { bytes in
            try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        }
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
