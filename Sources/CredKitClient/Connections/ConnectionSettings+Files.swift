// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKit

extension ConnectionSettings {
    /// The maximum size of a certificate file in bytes; system bundles have about 250 KB.
    private static let maximumBundleByteCount = 16 << 20
    /// The maximum size in bytes of a client certificate and of its key, which are held in guarded memory.
    private static let maximumClientByteCount = 64 << 10

    /// Checks the files that the settings name and the path of the Unix socket, without connecting.
    ///
    /// Files that can be read only once, such as pipes, are checked when the first request is sent. All other
    /// files are then checked again, because they may have changed.
    ///
    /// - Throws: ``ClientError/unreadableFile``; ``ClientError/invalidCertificateFile`` for a file that is
    ///   empty, malformed, or has a private key among the certificates to trust;
    ///   ``ClientError/insecureKeyFile`` for a private key that others can access;
    ///   ``ClientError/invalidRequest`` for an invalid Unix socket path.
    public func validate() throws(ClientError) { _ = try files(readsStreams: false) }

    /// Reads and checks the files that the settings name.
    ///
    /// - Throws: The errors of ``validate()``.
    package func files() throws(ClientError) -> ConnectionFiles { try files(readsStreams: true) }

    private func files(readsStreams: Bool) throws(ClientError) -> ConnectionFiles {
        if let path = unixSocketPath {
            // sun_path holds 108 bytes with the final NUL.
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else {
                throw .invalidRequest("invalid Unix socket path: it must have 1 to 107 bytes and no NUL")
            }
        }
        var files = ConnectionFiles()
        if case .file(let path) = trustedCertificates {
            let file = try SettingsFile(path, "the certificates to trust")
            if readsStreams || !file.isStream {
                let pem = try file.bytes(limit: Self.maximumBundleByteCount)
                try file.checkTrusted(PEMContent(pem))
                files.trustedCertificates = pem
            }
        }
        guard let clientCertificate else { return files }
        let certificate = try SettingsFile(clientCertificate.certificatePath, "the client's certificate")
        // File names differ if their bytes do.
        let isOneFile = ASCIIText.areEqual(clientCertificate.keyPath, clientCertificate.certificatePath)
        let key =
            isOneFile
            ? certificate : try SettingsFile(clientCertificate.keyPath, "the client's private key")
        try key.checkPermissions()
        guard readsStreams || !(certificate.isStream || key.isStream) else { return files }
        let limit = Self.maximumClientByteCount
        let certificatePEM = try certificate.secret(limit: limit, isPrivate: isOneFile)
        let keyPEM = isOneFile ? certificatePEM : try key.secret(limit: limit, isPrivate: true)
        try certificate.checkCertificate(PEMContent(certificatePEM))
        try key.checkKey(PEMContent(keyPEM))
        guard PEMContent.isPair(certificate: certificatePEM, key: keyPEM) else {
            throw .invalidCertificateFile(
                "cannot use the client's certificate '\(certificate.path)': the key '\(key.path)' does not match or is malformed"
            )
        }
        files.clientCertificate = certificatePEM
        files.clientKey = keyPEM
        return files
    }
}

extension SettingsFile {
    /// Rejects a file that is not a set of certificates to trust.
    fileprivate func checkTrusted(_ content: PEMContent) throws(ClientError) {
        guard content.keyCount == 0 else { throw malformed("it contains a private key") }
        try checkCertificate(content)
    }

    /// Rejects a file without a valid certificate.
    fileprivate func checkCertificate(_ content: PEMContent) throws(ClientError) {
        guard !content.isEmpty else { throw malformed("it is empty") }
        guard !content.isMalformed else { throw malformed("it contains a malformed PEM block") }
        guard content.certificateCount > 0 else { throw malformed("it contains no certificate in PEM") }
    }

    /// Rejects a file without a usable key.
    fileprivate func checkKey(_ content: PEMContent) throws(ClientError) {
        guard !content.isEmpty else { throw malformed("it is empty") }
        guard !content.isMalformed else { throw malformed("it contains a malformed PEM block") }
        guard content.keyCount > 0 else { throw malformed("it contains no private key in PEM") }
        guard content.encryptedKeyCount == 0 else {
            throw malformed("the key is encrypted (decrypt it with openssl pkey)")
        }
    }
}

/// The contents of the PEM files that ``ConnectionSettings`` name, read and checked.
package struct ConnectionFiles: Sendable {
    /// The certificates to trust; `nil` to trust the system's.
    package var trustedCertificates: [UInt8]?
    /// The client's certificate, followed by intermediate certificates. It may also contain the key.
    package var clientCertificate: SecretBytes?
    /// The client's private key.
    package var clientKey: SecretBytes?
}
