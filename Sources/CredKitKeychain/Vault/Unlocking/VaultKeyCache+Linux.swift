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
        guard credkit_key_set_timeout(key, seconds) == 0, credkit_key_set_permissions(key, permissions) == 0
        else {
            let errorNumber = errno
            _ = credkit_key_revoke(key)
            throw .system(errorNumber, doing)
        }
    }

    /// Throws unless the kernel's keyring stores and returns a key.
    package static func check() throws(KeychainError) {
        let identifier = SecureRandom.bytes(count: VaultHeader.identifierByteCount)
        let key = try SecretBytes.random()
        try write(key, vaultIdentifier: identifier, seconds: 5)
        defer { remove(vaultIdentifier: identifier) }
        guard read(vaultIdentifier: identifier) == key else {
            throw .denied("the kernel's keyring does not return the stored key")
        }
    }

    /// Revokes a key, if it is there.
    static func remove(vaultIdentifier: [UInt8]) {
        let key = unsafe credkit_key_find(name(vaultIdentifier))
        if key >= 0 { _ = credkit_key_revoke(key) }
    }

    private static func name(_ vaultIdentifier: [UInt8]) -> String {
        "credkit:vault:" + Hex.encode(vaultIdentifier)
    }
}
