// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit
internal import FoundationEssentials

/// Exports and imports credentials in an encrypted file: a vault with one passphrase.
///
/// The file is a regular vault, and can be opened as one.
///
/// > Note: Both directions derive a key from the passphrase on the calling thread, which takes 0.1 seconds and 64 MiB by
/// > default. Call them from a thread of your own where others would wait.
public enum VaultArchive {
    /// Creates an archive.
    ///
    /// - Parameters:
    ///   - credentials: The content of the archive.
    ///   - passphrase: The passphrase of the archive.
    ///   - argon2idCost: The cost of deriving the key from the passphrase.
    /// - Returns: The whole file.
    /// - Throws: ``KeychainError``.
    public static func encrypt(
        _ credentials: [Credential],
        passphrase: SecretBytes,
        argon2idCost: Argon2idCost = .standard
    ) throws(KeychainError) -> [UInt8] {
        let secret = try UnlockSecret.passphrase(passphrase)
        var vault = try OpenVault()
        vault.header.slots = [
            try vault.slot(
                .passphrase(argon2idCost),
                name: "passphrase",
                under: secret.bytes,
                DerivationBudget(nil, nil)
            )
        ]
        vault.payload = try vault.payload.applying(
            credentials.map { .set($0) },
            at: Date(),
            keepsTimes: true
        )
        return try vault.seal(generation: 1).flatMap { $0 }
    }

    /// Returns whether a file begins like an archive.
    ///
    /// - Parameter bytes: The content of the file.
    /// - Returns: Whether it is an archive or another vault, even a damaged one.
    public static func isArchive(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: VaultHeader.magic)
    }

    /// Returns the content of an archive.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - passphrase: The passphrase of the archive.
    ///   - allowsCostlyKeyDerivation: Whether to accept more than one slot for a passphrase, more than 128 MiB of memory,
    ///     and more than 2 GiB of memory × passes, which take 1 to 3 seconds. The author of the file chose these costs.
    ///     With `true` the limits of the format apply: 1 GiB, and 4 GiB of memory × passes for each of 32 slots, which
    ///     can take minutes.
    ///   - timeout: The maximum time of deriving keys: a derivation that is estimated to take longer is not begun. By
    ///     default 5 seconds, or as long as it takes if costly derivations are allowed.
    /// - Returns: The credentials.
    /// - Throws: ``KeychainError``; ``KeychainError/wrongPassphrase``, ``KeychainError/damaged``,
    ///   ``KeychainError/overLimit``.
    public static func decrypt(
        _ bytes: [UInt8],
        passphrase: SecretBytes,
        allowsCostlyKeyDerivation: Bool = false,
        timeout: Duration? = nil
    ) throws(KeychainError) -> [Credential] {
        let secret = try UnlockSecret.passphrase(passphrase)
        let contents = try VaultContents(wholeFile: bytes)
        guard allowsCostlyKeyDerivation || contents.header.slots.filter(\.isForPassphrase).count <= 1 else {
            throw .overLimit(
                "the file has several key slots for passphrases, and an archive has one. If you trust it, allow the cost "
                    + "of trying them with allowsCostlyKeyDerivation (--allow-costly)"
            )
        }
        let time = timeout ?? (allowsCostlyKeyDerivation ? nil : .seconds(5))
        let budget = DerivationBudget(
            allowsCostlyKeyDerivation ? nil : .archive,
            time.map { CancellationToken(deadline: .now + $0) }
        )
        guard let (key, _) = try contents.header.open(with: secret, budget) else {
            throw .wrongPassphrase("cannot open the archive: the passphrase is wrong")
        }
        let payload = try OpenVault.decrypt(contents, key: key).payload
        try payload.verify()
        return try payload.credentials()
    }
}
