// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import FoundationEssentials

/// Credentials in an encrypted file that goes from machine to machine: a vault with one passphrase.
///
/// It is an ordinary vault, and can be opened as one.
public enum VaultArchive {
    /// The bytes of an archive.
    ///
    /// - Parameters:
    ///   - credentials: What is in it.
    ///   - passphrase: What opens it.
    ///   - keyDerivation: What it costs to try a passphrase.
    /// - Returns: The whole file.
    /// - Throws: ``KeychainError``.
    public static func seal(
        _ credentials: [Credential],
        passphrase: SecretBytes,
        keyDerivation: KeyDerivation = .standard
    ) throws(KeychainError) -> [UInt8] {
        let secret = try SecretSource.passphrase(passphrase)
        var vault = try OpenVault()
        vault.header.slots = [
            try vault.slot(.passphrase(keyDerivation), name: "passphrase", under: secret.bytes)
        ]
        vault.payload = try vault.payload.applying(credentials.map { .set($0) }, at: Date())
        return try vault.seal(generation: 1).flatMap { $0 }
    }

    /// Whether a file begins like one.
    ///
    /// - Parameter bytes: The file.
    /// - Returns: Whether it is an archive or another vault, or was one before it was damaged.
    public static func isArchive(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: VaultHeader.magic)
    }

    /// What is in an archive.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - passphrase: What opens it.
    /// - Returns: The credentials.
    /// - Throws: ``KeychainError``; ``KeychainError/wrongPassphrase``, ``KeychainError/damaged``.
    public static func open(
        _ bytes: [UInt8],
        passphrase: SecretBytes
    ) throws(KeychainError) -> [Credential] {
        let secret = try SecretSource.passphrase(passphrase)
        let contents = try VaultFile.Contents(wholeFile: bytes)
        guard let (key, _) = try contents.header.open(with: secret) else {
            throw .wrongPassphrase("the passphrase does not open the archive")
        }
        let payload = try OpenVault(contents, key: key).payload
        try payload.verify()
        return try payload.credentials()
    }
}

extension VaultFile.Contents {
    /// The parts of a file.
    fileprivate init(wholeFile bytes: [UInt8]) throws(KeychainError) {
        let prefix = Array(bytes.prefix(VaultHeader.prefixByteCount))
        let count = try VaultHeader.byteCount(ofFileBeginning: prefix.span)
        guard bytes.count >= count else { throw .damaged("the archive is damaged: it is cut short") }
        let headerBytes = Array(bytes[..<count])
        let header = try VaultHeader(headerBytes.span)
        guard bytes.count - count == header.sealedByteCount else {
            throw .damaged("the archive is damaged: it is cut short, or something stands behind its end")
        }
        self.init(header: header, headerBytes: headerBytes, sealed: Array(bytes[count...]))
    }
}
