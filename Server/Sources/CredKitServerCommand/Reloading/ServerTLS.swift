// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import NIOConcurrencyHelpers
import NIOSSL

/// The certificate and the key in use, which can be replaced for new connections. Open connections keep theirs.
final class ServerTLS: Sendable {
    /// What was read from the files.
    struct Identity: Sendable {
        let context: NIOSSLContext
        /// The channel binding to the certificate.
        let binding: Result<SCRAM.ChannelBinding, CommandFailure>
        /// From when it is valid.
        let beginning: UnixTime
        let expiry: UnixTime
    }

    private let current: NIOLockedValueBox<Identity>
    private let requiresBinding: Bool
    let files: TLSFiles

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - requiresBinding: Whether a certificate without channel binding is refused.
    /// - Throws: ``CommandFailure`` if a file cannot be read or is malformed, or both do not belong together.
    init(_ files: TLSFiles, requiresBinding: Bool) throws(CommandFailure) {
        self.files = files
        self.requiresBinding = requiresBinding
        current = NIOLockedValueBox(try Self.read(files, requiresBinding: requiresBinding))
    }

    private static func read(
        _ files: TLSFiles,
        requiresBinding: Bool
    ) throws(CommandFailure) -> Identity {
        let identity = try files.identity()
        if requiresBinding { _ = try identity.binding.get() }
        return identity
    }

    /// The identity for new connections.
    var identity: Identity { current.withLockedValue { $0 } }

    /// Returns the channel bindings of the certificate in use.
    var bindingOffer: SCRAM.Server.BindingOffer {
        SCRAM.Server.BindingOffer(
            [try? identity.binding.get()].compactMap { $0 },
            isRequired: requiresBinding
        )
    }

    /// The files to read again when they have changed.
    ///
    /// - Parameter metrics: Shows when the certificate expires.
    /// - Returns: The files.
    func reloadedFiles(_ metrics: ServerMetrics) -> ReloadedFiles {
        let sources = [files.certificate, files.key]
        return ReloadedFiles(name: "certificate", label: "certificate", files: sources) { [self] in
            let identity = try Self.read(files, requiresBinding: requiresBinding)
            return {
                self.current.withLockedValue { $0 = identity }
                metrics.setCertificateExpiry(identity.expiry)
                return .init(message: "the certificate expires at \(identity.expiry)")
            }
        }
    }
}
