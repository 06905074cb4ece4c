// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import CredKit
internal import Glibc

/// The keys of vaults in the kernel's keyring of this user, where they expire automatically.
///
/// Every process of this user can read them, as it can read the files and the memory of the user's other processes. The
/// advantage is that the keys are in no file and no environment, and that they expire.
package enum VaultKeyCache {
    /// All permissions for the possessor and the user; none for group and others.
    private static let permissions: UInt32 = 0x3F3F_0000

    static func read(vaultIdentifier: [UInt8]) -> SecretBytes? {
        let key = unsafe credkit_key_find(name(vaultIdentifier))
        guard key >= 0 else { return nil }
        var count = -1
        let bytes = try? SecretBytes(capacity: AESGCM.keyByteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                count = unsafe credkit_key_read(key, buffer.baseAddress, buffer.count)
                initializedCount = min(max(0, count), buffer.count)
            }
        }
        return count == AESGCM.keyByteCount ? bytes : nil
    }

    static func write(
        _ vaultKey: SecretBytes,
        vaultIdentifier: [UInt8],
        seconds: UInt32
    ) throws(KeychainError) {
        let doing = "cannot store the key in the kernel's keyring"
        let key = vaultKey.withSecretBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe credkit_key_add(name(vaultIdentifier), bytes.baseAddress, bytes.count)
            }
        }
        guard key >= 0 else { throw .system(errno, doing) }
        // Until its expiration time is set, the key is only in the keyring of this process, so that a killed process leaves
        // no key that never expires.
        defer { _ = credkit_key_unlink(key) }
        guard credkit_key_set_timeout(key, seconds) == 0, credkit_key_set_permissions(key, permissions) == 0,
            credkit_key_link(key) == 0
        else {
            throw .system(errno, doing)
        }
    }

    /// Throws unless the kernel's keyring stores and returns a key.
    package static func check() throws(KeychainError) {
        let identifier = SecureRandom.bytes(count: VaultHeader.identifierByteCount)
        let key = try SecretBytes.random()
        try write(key, vaultIdentifier: identifier, seconds: 5)
        let isRead = read(vaultIdentifier: identifier) == key
        try remove(vaultIdentifier: identifier)
        guard isRead else { throw .denied("the kernel's keyring does not return the stored key") }
    }

    /// Revokes a key, if it is there.
    static func remove(vaultIdentifier: [UInt8]) throws(KeychainError) {
        let key = unsafe credkit_key_find(name(vaultIdentifier))
        guard key >= 0 else { return try checkAbsence() }
        try revoke(key)
    }

    /// Revokes the keys of all vaults.
    static func removeAll() throws(KeychainError) {
        var failure: KeychainError?
        for key in try list() where description(of: key)?.hasPrefix(prefix) ?? false {
            do throws(KeychainError) {
                try revoke(key)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private static func revoke(_ key: Int32) throws(KeychainError) {
        if credkit_key_revoke(key) != 0 { try checkAbsence() }
    }

    /// Throws unless the last call failed because there is no such key, or no keyring.
    private static func checkAbsence() throws(KeychainError) {
        guard ![ENOKEY, EKEYREVOKED, EKEYEXPIRED, ENOSYS, EPERM].contains(errno) else { return }
        throw .system(errno, "cannot remove the key from the kernel's keyring, where it may remain")
    }

    /// Returns the numbers of all keys in the keyring of this user; none if there is no keyring.
    private static func list() throws(KeychainError) -> [Int32] {
        var keys: [Int32] = []
        while true {
            let byteCount = unsafe credkit_key_list(&keys, keys.count * 4)
            if byteCount < 0 { try checkAbsence() }
            guard byteCount > keys.count * 4 else { return Array(keys.prefix(max(0, byteCount) / 4)) }
            // Other programs may add keys meanwhile.
            keys = Array(repeating: 0, count: byteCount / 4 + 16)
        }
    }

    private static func description(of key: Int32) -> Substring? {
        var buffer = [CChar](repeating: 0, count: 256)
        let byteCount = unsafe credkit_key_describe(key, &buffer, buffer.count)
        guard byteCount > 0, byteCount <= buffer.count else { return nil }
        let text = String(decoding: buffer.prefix(byteCount - 1).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
        return fields.first == "user" && fields.count == 5 ? fields[4] : nil
    }

    private static let prefix = "credkit:vault:"

    private static func name(_ vaultIdentifier: [UInt8]) -> String { prefix + Hex.encode(vaultIdentifier) }
}
