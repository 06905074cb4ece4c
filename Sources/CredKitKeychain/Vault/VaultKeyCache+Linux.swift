// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import CredKit
internal import Glibc

/// The keys of vaults in the kernel's keyring of this user, where they expire by themselves.
///
/// Every process of this user can read them, as it could read the files and the memory of this user's other processes;
/// what is gained is that no file and no environment holds them, and that they go with their time.
package enum VaultKeyCache {
    /// Possessor and user may see, read, write, find and change; nobody else anything.
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
        let doing = "the kernel's keyring does not take the key"
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

    /// Throws unless the kernel's keyring takes a key and gives it back.
    package static func check() throws(KeychainError) {
        let identifier = SecureRandom.bytes(count: VaultHeader.identifierByteCount)
        let key = try SecretBytes.random()
        try write(key, vaultIdentifier: identifier, seconds: 5)
        defer { remove(vaultIdentifier: identifier) }
        guard read(vaultIdentifier: identifier) == key else {
            throw .denied("the kernel's keyring does not give the key back")
        }
    }

    /// Makes a key unusable, if it is there.
    static func remove(vaultIdentifier: [UInt8]) {
        let key = unsafe credkit_key_find(name(vaultIdentifier))
        if key >= 0 { _ = credkit_key_revoke(key) }
    }

    private static func name(_ vaultIdentifier: [UInt8]) -> String {
        "credkit:vault:" + Hex.encode(vaultIdentifier)
    }
}
