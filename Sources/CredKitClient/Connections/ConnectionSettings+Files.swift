// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension ConnectionSettings {
    /// The most bytes of a file of certificates; the system's bundles have 250 KB.
    private static let maximumBundleByteCount = 16 << 20
    /// The most bytes of a client certificate and of its key, which are held in guarded memory.
    private static let maximumClientByteCount = 64 << 10

    /// Check the files that the settings name, and the path of the Unix socket, without connecting.
    ///
    /// Files that can be read once only, such as pipes, are checked when the first request is sent. So are all others
    /// again, since they may change.
    ///
    /// - Throws: ``LoginError/unreadableFile``, ``LoginError/invalidCertificateFile`` for one that is empty, malformed,
    ///   or has a private key among the certificates to trust, ``LoginError/insecureKeyFile`` for a private key that
    ///   others can read, ``LoginError/invalidRequest`` for a path that no Unix socket can have.
    public func check() throws(LoginError) { _ = try files(readsStreams: false) }

    /// Read the files that the settings name, and check them.
    ///
    /// - Throws: As ``check()``.
    package func files() throws(LoginError) -> ConnectionFiles { try files(readsStreams: true) }

    private func files(readsStreams: Bool) throws(LoginError) -> ConnectionFiles {
        if let path = unixSocketPath {
            // sun_path has 108 bytes with the final NUL.
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else {
                throw .invalidRequest("the path of a Unix socket has 1 to 107 bytes")
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
        let isOneFile = clientCertificate.keyPath == clientCertificate.certificatePath
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
                "cannot use the client's certificate '\(certificate.path)': the key '\(key.path)' is not its own, or malformed"
            )
        }
        files.clientCertificate = certificatePEM
        files.clientKey = keyPEM
        return files
    }
}

extension SettingsFile {
    /// Refuse what is no set of certificates to trust.
    fileprivate func checkTrusted(_ content: PEMContent) throws(LoginError) {
        guard content.keyCount == 0 else { throw malformed("a private key is in it") }
        try checkCertificate(content)
    }

    /// Refuse what has no certificates.
    fileprivate func checkCertificate(_ content: PEMContent) throws(LoginError) {
        guard !content.isEmpty else { throw malformed("it is empty") }
        guard !content.isMalformed else { throw malformed("a block of PEM in it is malformed") }
        guard content.certificateCount > 0 else { throw malformed("no certificate in PEM is in it") }
    }

    /// Refuse what has no key that can be used.
    fileprivate func checkKey(_ content: PEMContent) throws(LoginError) {
        guard !content.isEmpty else { throw malformed("it is empty") }
        guard !content.isMalformed else { throw malformed("a block of PEM in it is malformed") }
        guard content.keyCount > 0 else { throw malformed("no private key in PEM is in it") }
        guard content.encryptedKeyCount == 0 else {
            throw malformed("the key is encrypted (openssl pkey writes it unencrypted)")
        }
    }
}
