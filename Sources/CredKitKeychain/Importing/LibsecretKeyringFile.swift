// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import CredKitSystem
internal import FoundationEssentials
internal import Glibc

/// Reads the files in which libsecret and oo7 store secrets if there is no Secret Service, as in a Flatpak sandbox:
/// usually `~/.local/share/keyrings/default.keyring`.
///
/// ```swift
/// let credentials = try LibsecretKeyringFile.read(contentsOfFile: path, password: password)
/// ```
///
/// The format is that of libsecret's
/// [`secret-file-collection.c`](https://gitlab.gnome.org/GNOME/libsecret/-/blob/0.20.5/libsecret/secret-file-collection.c)
/// and of oo7's [`file/api`](https://github.com/linux-credentials/oo7/tree/main/client/src/file/api): 16 bytes of
/// magic, the version 1.0, and a GVariant of type `(uayutua(a{say}ay))` with the size of the salt, the salt, the number
/// of iterations, the time of the last change, the number of changes, and the items. The key is PBKDF2-HMAC-SHA256 of
/// the password, 16 bytes. For each item, the file contains the HMAC-SHA256 of the attributes' values by their names, and
/// the item itself, a GVariant of type `(a{ss}sttay)`, encrypted with AES-128-CBC. The initialization vector follows,
/// and then the HMAC-SHA256 of both.
///
/// Only the items are authenticated: a removed item cannot be detected, and any password opens a keyring without items.
///
/// > Note: Reading derives a key on the calling thread, which takes up to seconds. Call it from a thread of your own
/// > where others would wait.
///
/// The files of the gnome-keyring daemon begin with the same magic, but have another format, which is not supported.
public enum LibsecretKeyringFile {
    /// The maximum size of a file in bytes.
    static let byteCountLimit = 64 << 20
    /// The maximum number of items.
    static let itemLimit = 100_000
    /// The maximum number of attributes of an item.
    static let attributeLimit = 1000
    /// The maximum number of PBKDF2 iterations, which take one to three seconds: thirty times the number that libsecret
    /// and oo7 write.
    static let iterationLimit = 3_000_000

    /// Returns whether a file begins like a keyring of libsecret or gnome-keyring.
    ///
    /// - Parameter bytes: The content of the file.
    /// - Returns: Whether the file begins like a keyring.
    public static func isKeyring(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    /// Reads a keyring from a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - password: The keyring's password.
    /// - Returns: All items with their secrets, in the order of the file.
    /// - Throws: ``KeychainError``, as ``read(_:password:)`` does, and if the file cannot be read.
    public static func read(
        contentsOfFile path: String,
        password: SecretBytes
    ) throws(KeychainError) -> [Credential] {
        guard !path.utf8.contains(0) else {
            throw .invalid("the path of the keyring contains a NUL character")
        }
        // Symbolic links are followed here: the user names the file.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard number >= 0 else { throw .system(errno, "cannot open \(path)") }
        let file = Descriptor(number)
        guard try converting(file.status()).st_mode & S_IFMT == S_IFREG else {
            throw .invalid("\(path) is no ordinary file")
        }
        let bytes = try converting(file.readAll(limit: byteCountLimit + 1))
        return try read(bytes, password: password)
    }

    /// Reads a keyring. The iterations are checked against the limit before the key is derived, and only authentic
    /// items are decrypted.
    ///
    /// The content type of an item is the attribute `xdg:content-type`, which oo7 writes; without it, it is
    /// `text/plain` for UTF-8 and `application/octet-stream` for other bytes.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - password: The keyring's password.
    /// - Returns: All items with their secrets, in the order of the file. Some may have no service.
    /// - Throws: ``KeychainError``; ``KeychainError/wrongPassphrase`` if no item is authentic under the password,
    ///   ``KeychainError/damaged`` if only some are or the file is malformed, ``KeychainError/overLimit`` if it
    ///   requires more iterations or contains more than is allowed, ``KeychainError/unsupported`` for keyrings of
    ///   another format.
    public static func read(_ bytes: [UInt8], password: SecretBytes) throws(KeychainError) -> [Credential] {
        guard bytes.count <= byteCountLimit else {
            throw .overLimit("the keyring is larger than \(byteCountLimit >> 20) MiB")
        }
        try checkForm(bytes)
        let keyring = try Keyring(bytes)
        let key: SecretBytes
        do throws(KeyDerivationError) {
            key = try PBKDF2.deriveKey(
                from: password,
                salt: keyring.salt,
                function: .sha256,
                iterations: keyring.iterations,
                count: AESCBC.keyByteCount
            )
        } catch {
            throw .outOfMemory
        }
        let codeKey = HMAC<SHA256>.Key(key)
        let authenticCount = keyring.items.count { $0.isAuthentic(in: bytes, codeKey) }
        guard authenticCount > 0 || keyring.items.isEmpty else {
            throw .wrongPassphrase("the keyring's password is wrong, or the keyring is damaged")
        }
        guard authenticCount == keyring.items.count else {
            throw .damaged("the keyring is damaged: some of its items are not authentic")
        }
        var credentials: [Credential] = []
        for item in keyring.items { credentials.append(try item.open(in: bytes, key, codeKey)) }
        return credentials
    }

    /// Throws unless the file begins like a keyring of libsecret.
    private static func checkForm(_ bytes: [UInt8]) throws(KeychainError) {
        let advice = "unlock it in the desktop and move it with 'credkit keychain move --from secret-service'"
        // The daemon writes this format for a keyring without a password.
        guard !bytes.starts(with: "[keyring]".utf8) else {
            throw .unsupported("this is an unencrypted keyring of the gnome-keyring daemon; \(advice)")
        }
        guard bytes.starts(with: magic), bytes.count >= magic.count + 2 else {
            throw .damaged("the file is not a keyring, or its beginning is damaged")
        }
        switch (bytes[magic.count], bytes[magic.count + 1]) {
        case (1, 0): return
        case (0, _): throw .unsupported("this is a keyring of the gnome-keyring daemon; \(advice)")
        case (let major, let minor):
            throw .unsupported("the keyring has the format version \(major).\(minor); only 1.0 is supported")
        }
    }

    static let magic = Array("GnomeKeyring\n\r\0\n".utf8)
}

extension LibsecretKeyringFile {
    /// The decrypted content of an item.
    struct OpenItem {
        /// The attribute in which oo7 stores the content type.
        private static let contentTypeName = "xdg:content-type"

        let attributes: [String: String]
        let credential: Credential

        init(_ bytes: Span<UInt8>) throws(KeychainError) {
            var fields = try GVariant.Tuple(bytes.indices, offsetCount: 2)
            var attributes: [String: String] = [:]
            let ranges = try GVariant.elements(of: fields.member(in: bytes), limit: attributeLimit, in: bytes)
            for range in ranges {
                var entry = try GVariant.Tuple(range, offsetCount: 1)
                let name = try GVariant.string(entry.member(in: bytes), in: bytes)
                let value = try GVariant.string(entry.last, in: bytes)
                guard attributes.updateValue(value, forKey: name) == nil else { throw GVariant.malformed }
            }
            let label = try GVariant.string(fields.member(in: bytes), in: bytes)
            let created = try Self.date(fields.number(UInt64.self, in: bytes))
            let modified = try Self.date(fields.number(UInt64.self, in: bytes))
            let secret: SecretBytes
            do throws(SecretMemoryError) {
                secret = try SecretBytes(bytes.extracting(fields.last))
            } catch {
                throw .outOfMemory
            }
            self.attributes = attributes
            let contentType = attributes.removeValue(forKey: Self.contentTypeName)
            var item = CredentialItem(
                key: CredentialKey(allAttributes: attributes),
                label: label,
                contentType: contentType ?? (secret.isUTF8 ? "text/plain" : "application/octet-stream")
            )
            (item.created, item.modified) = (created, modified)
            credential = Credential(item: item, secret: secret)
        }

        private static func date(_ seconds: UInt64) throws(KeychainError) -> Date {
            guard let date = Timestamp.date(seconds: seconds) else { throw GVariant.malformed }
            return date
        }
    }
}
