// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

extension Argon2 {
    /// Derives a key with libsodium, which requires at least one pass for Argon2id and three for Argon2i.
    static func deriveWithSodium(
        from password: Span<UInt8>,
        salt: [UInt8],
        _ parameters: Parameters,
        count: Int
    ) throws(KeyDerivationError) -> SecretBytes {
        guard parameters.isComputedBySodium, salt.count == saltByteCount, count >= 16 else {
            throw .unsupported("libsodium cannot compute Argon2 with these parameters")
        }
        precondition(sodium_init() >= 0, "libsodium found no source of randomness.")
        return try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { digest in
            guard let target = digest.baseAddress else { return .outOfMemory }
            let status = unsafe SodiumText.withCharacters(of: password) { characters, length in
                unsafe crypto_pwhash(
                    target,
                    UInt64(digest.count),
                    characters,
                    length,
                    salt,
                    UInt64(parameters.passes),
                    parameters.memory.bytes,
                    parameters.variant == .argon2id
                        ? crypto_pwhash_ALG_ARGON2ID13 : crypto_pwhash_ALG_ARGON2I13
                )
            }
            // The parameters have been checked, so a failure can only mean that there is not enough memory.
            return status == 0 ? nil : .outOfMemory
        }
    }
}

extension Argon2.Parameters {
    /// Whether libsodium's key derivation has them.
    var isComputedBySodium: Bool {
        let leastPasses = variant == .argon2id ? 1 : 3
        return variant != .argon2d && version == .v19 && lanes == 1 && passes >= leastPasses
            && secret.isEmpty && associatedData.isEmpty
    }
}

/// A password in the form that libsodium expects.
enum SodiumText {
    /// Calls `body` with the bytes and their number. libsodium requires a valid pointer even for an empty password.
    static func withCharacters<Result>(
        of password: Span<UInt8>,
        _ body: (UnsafePointer<CChar>, UInt64) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: CChar(0)) { nothing in
            unsafe password.withUnsafeBytes { bytes in
                unsafe body(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? nothing,
                    UInt64(bytes.count)
                )
            }
        }
    }
}
