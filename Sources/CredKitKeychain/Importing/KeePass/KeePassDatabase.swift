// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Reads the databases of KeePass 2, KeePassXC and their relatives: files with the ending `.kdbx`. Nothing is written.
///
/// ```swift
/// let imported = try KeePassDatabase.read(bytes, password: SecretBytes(password))
/// try await keychain.add(imported.credentials)
/// ```
///
/// The formats are [KDBX 4](https://keepass.info/help/kb/kdbx.html) and 3.1, with AES-256 or ChaCha20, and a key that
/// Argon2d, Argon2id or AES-KDF derived. Twofish, the older formats, and hardware keys are not supported. A database is
/// read only if all of it is authentic, and a part of it never. The items are those of the same document in XML; see
/// ``PasswordFile``. Attachments, previous versions of entries and the recycle bin are left out, and listed.
///
/// A compressed database needs zlib, which is loaded on first use. All that is decrypted is in guarded memory.
///
/// > Note: Reading derives a key on the calling thread, which takes seconds. Call it from a thread of your own where others
/// > would wait.
public enum KeePassDatabase {
    /// Returns whether a file begins like a database of any version of KeePass.
    ///
    /// - Parameter bytes: The content of the file.
    /// - Returns: Whether it is a database, even an unsupported or damaged one.
    public static func isDatabase(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: KDBXHeader.signature) && bytes.count >= 8 && (0x65...0x67).contains(bytes[4])
            && Array(bytes[5..<8]) == [0xFB, 0x4B, 0xB5]
    }

    /// Reads a database.
    ///
    /// - Parameters:
    ///   - bytes: The whole file, at most 256 MiB, which must not become more when it is decompressed.
    ///   - password: The password; `nil` if the key file alone opens the database. An empty password differs from none.
    ///   - keyFile: The content of the key file, if there is one: XML of version 1 or 2, 32 bytes, 64 hexadecimal digits, or
    ///     any other file.
    ///   - allowsCostlyKeyDerivation: Whether to accept a key derivation of more than 512 MiB or about 5 seconds, the limits
    ///     of `PasswordLimits`, up to 4 GiB and about 10 minutes. The author of the file chose these costs.
    ///   - timeout: The maximum time of deriving the key: a derivation that is estimated to take longer is not begun.
    /// - Returns: The items, and what was left out.
    /// - Throws: ``KeychainError``; ``KeychainError/wrongPassphrase`` if password or key file are wrong,
    ///   ``KeychainError/damaged``, ``KeychainError/unsupported``, ``KeychainError/overLimit``. No error contains a secret.
    public static func read(
        _ bytes: [UInt8],
        password: SecretBytes?,
        keyFile: SecretBytes? = nil,
        allowsCostlyKeyDerivation: Bool = false,
        timeout: Duration? = nil
    ) throws(KeychainError) -> PasswordImport {
        guard bytes.count <= TransferLimits.fileByteCount else {
            throw .overLimit("the database is larger than \(TransferLimits.fileByteCount >> 20) MiB")
        }
        let header = try KDBXHeader(bytes)
        let key = try compositeKey(password, keyFile)
        try header.keyDerivation.check(allowsMore: allowsCostlyKeyDerivation, timeout: timeout)
        let payload =
            switch header.version {
            case .three: try KDBXPayload(version3: bytes, header, key)
            case .four: try KDBXPayload(version4: bytes, header, key)
            }
        return try PasswordFile.read(payload.document())
    }

    /// Returns the key that password and key file are together.
    private static func compositeKey(
        _ password: SecretBytes?,
        _ keyFile: SecretBytes?
    ) throws(KeychainError) -> SecretBytes {
        guard password != nil || keyFile != nil else {
            throw .noPassphrase("the database needs its password, its key file, or both")
        }
        let fileKey = try keyFile.map { (file) throws(KeychainError) in try KeePassKeyFile.key(of: file) }
        var function = SHA256()
        if let password { function.update(data: SHA256.hash(secret: password)) }
        fileKey?.withSecretBytes { function.update($0) }
        return try SecretBytes(digest: function.finalizeAndWipe())
    }
}

extension SecretBytes {
    /// Copies a digest that is secret.
    init(digest: some Collection<UInt8>) throws(KeychainError) {
        self = try convertingMemory(
            SecretBytes(capacity: digest.count) { output in
                for byte in digest { output.append(byte) }
            }
        )
    }
}

/// Evaluates `body`, which decrypts, and translates its error.
///
/// - Parameters:
///   - failure: The error if the bytes are not authentic.
///   - body: Decrypts.
/// - Returns: What `body` returned.
/// - Throws: `failure`, or ``KeychainError/outOfMemory``.
func convertingCipher(
    _ failure: KeychainError,
    _ body: @autoclosure () throws(CipherError) -> SecretBytes
) throws(KeychainError) -> SecretBytes {
    do throws(CipherError) {
        return try body()
    } catch .notAuthentic {
        throw failure
    } catch {
        throw .outOfMemory
    }
}
