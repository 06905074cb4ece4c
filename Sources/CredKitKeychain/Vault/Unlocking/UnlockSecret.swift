// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import Glibc

/// A passphrase or key that may open slots of a vault, as a ``VaultKeySource`` provides it.
struct UnlockSecret {
    let bytes: SecretBytes
    /// Whether it is for slots of passphrases, not of keys.
    let isPassphrase: Bool

    /// Returns the secret of a source, or `nil` if it has none. The terminal is not read here: its prompt is shown
    /// last, and may be repeated.
    static func read(_ source: VaultKeySource, _ context: UnlockContext) throws(KeychainError) -> Self? {
        let token = context.token
        switch source {
        case .passphrase(let bytes): return try passphrase(bytes)
        case .passphraseFileDescriptor(let number):
            return try passphrase(text(number, "descriptor \(number)", token))
        case .passphraseFile(let path): return try passphrase(file(path, isText: true, token))
        case .passphraseCommand(let command):
            // The command may ask the user, as 'pass' does.
            return try passphrase(
                context.asking { () throws(KeychainError) in try PassphraseCommand.run(command, token) }
            )
        case .passphraseEnvironmentVariable(let name):
            guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
            return try passphrase(unsafe copy(of: value))
        case .passphraseSystemdCredential(let name):
            guard let path = credentialPath(name) else { return nil }
            return try passphrase(file(path, isText: true, token))
        case .terminal, .store: return nil
        case .key(let bytes): return try key(bytes, "the key")
        case .keyFile(let path): return try key(file(path, isText: false, token), "the key in \(path)")
        case .keySystemdCredential(let name):
            guard let path = credentialPath(name) else { return nil }
            return try key(file(path, isText: false, token), "the key in the credential \(name)")
        }
    }

    static func passphrase(_ bytes: SecretBytes) throws(KeychainError) -> Self {
        guard !bytes.isEmpty else { throw .noPassphrase("the passphrase is empty") }
        guard bytes.count <= VaultLimits.passphraseByteCount else {
            throw .overLimit("the passphrase is longer than \(VaultLimits.passphraseByteCount) bytes")
        }
        return Self(bytes: bytes, isPassphrase: true)
    }

    static func key(_ bytes: SecretBytes, _ name: String) throws(KeychainError) -> Self {
        guard VaultLimits.rawKeyByteCount.contains(bytes.count) else {
            throw .invalid(
                "\(name) has \(bytes.count) bytes; a key has from \(VaultLimits.rawKeyByteCount.lowerBound) to "
                    + "\(VaultLimits.rawKeyByteCount.upperBound) bytes, as 'head -c 32 /dev/urandom' makes them"
            )
        }
        return Self(bytes: bytes, isPassphrase: false)
    }

    private static func credentialPath(_ name: String) -> String? {
        guard let directory = Environment.value("CREDENTIALS_DIRECTORY"),
            directory.utf8.first == UInt8(ascii: "/"),
            // Bytes: among Swift's characters, a slash before a combining character is not a slash.
            !name.utf8.contains(UInt8(ascii: "/"))
        else { return nil }
        let path = directory + "/" + name
        return unsafe access(path, F_OK) == 0 ? path : nil
    }

    private static func file(
        _ path: String,
        isText: Bool,
        _ token: CancellationToken
    ) throws(KeychainError) -> SecretBytes {
        // Symbolic links are followed here: the user names the file.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard number >= 0 else {
            // The error must not be `notFound`, which means that a vault or an item does not exist.
            let error = KeychainError.system(errno, "cannot open \(path)")
            throw error == .notFound ? .noPassphrase(error.description) : error
        }
        let file = Descriptor(number)
        do throws(SystemError) {
            try TrustedFile.check(number, path: Array(path.utf8), name: path)
        } catch {
            throw KeychainError(error)
        }
        let bytes = try SecretDescriptor.readAll(file.number, named: path, token)
        return isText ? try convertingMemory(bytes.withoutTrailingNewline()) : bytes
    }

    private static func text(
        _ number: Int32,
        _ name: String,
        _ token: CancellationToken
    ) throws(KeychainError) -> SecretBytes {
        let bytes = try SecretDescriptor.readAll(number, named: name, token)
        return try convertingMemory(bytes.withoutTrailingNewline())
    }

    private static func copy(of value: UnsafePointer<CChar>) throws(KeychainError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(capacity: unsafe strlen(value)) { output in
                for index in 0..<output.capacity { output.append(UInt8(bitPattern: unsafe value[index])) }
            }
        } catch {
            throw .outOfMemory
        }
    }
}
