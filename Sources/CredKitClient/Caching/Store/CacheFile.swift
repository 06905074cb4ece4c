// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The file of a stored response, encrypted with AES-256-GCM.
///
/// It begins with 8 magic bytes and a 12-byte nonce. Magic bytes and the name of the file are authenticated, so that a
/// torn, exchanged or renamed file is not used.
enum CacheFile {
    private static let magic = Array("CKCACHE1".utf8)

    /// Encrypts a response; returns `nil` if there is no memory for it.
    static func seal(_ response: CachedResponse, name: String, key: SecretBytes) -> [UInt8]? {
        let nonce = SecureRandom.bytes(count: AESGCM.nonceByteCount)
        let sealed = try? AESGCM.seal(
            CacheRecord.encode(response),
            key: key,
            nonce: nonce,
            context: context(name)
        )
        return sealed.map { magic + nonce + $0 }
    }

    /// Decrypts a file; returns `nil` if it is not one that was written under this name and key. A URL that it most likely
    /// has saves parsing.
    static func open(
        _ bytes: consuming [UInt8],
        name: String,
        with opener: AESGCM.Opener,
        expecting url: HTTPURL? = nil
    ) -> CachedResponse? {
        let start = magic.count + AESGCM.nonceByteCount
        guard bytes.count > start, hasMagic(bytes.span) else { return nil }
        let isAuthentic = opener.openInPlace(
            &bytes,
            from: start,
            nonce: Array(bytes[magic.count..<start]),
            context: context(name)
        )
        guard isAuthentic else { return nil }
        return CacheRecord.decode(bytes, from: start, expecting: url)
    }

    private static func hasMagic(_ bytes: Span<UInt8>) -> Bool {
        for index in magic.indices where bytes[index] != magic[index] { return false }
        return true
    }

    /// What is authenticated beside the response.
    private static func context(_ name: String) -> [UInt8] {
        var context: [UInt8] = []
        context.reserveCapacity(magic.count + name.utf8.count)
        context += magic
        context += name.utf8
        return context
    }
}
