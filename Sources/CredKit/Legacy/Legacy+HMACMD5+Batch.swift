// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.HMACMD5 {
    /// Returns the codes (RFC 2104) of many messages under one key, computed sixteen at once.
    ///
    /// With AVX-512 or AVX2, sixteen or more messages of similar lengths take a fifth of the time of single calls. A
    /// single message takes longer than with the function for one.
    ///
    /// > Warning: See ``Legacy/HMACMD5`` for its weaknesses as a way to store passwords.
    ///
    /// - Parameters:
    ///   - messages: The messages, any number of any lengths; arrays, `String.UTF8View`s …
    ///   - key: The key.
    /// - Returns: One code per message, in their order.
    @inlinable
    public static func authenticationCodes<Message: Collection<UInt8>>(
        for messages: some Collection<Message>,
        using key: Key
    ) -> [MessageDigest<16>] {
        MD5Batch(key: key).digests(of: messages, by: CollectionAccess<Message>.self)
    }

    /// Returns the codes (RFC 2104) of many passwords under one key, computed sixteen at once, each read in place.
    ///
    /// > Warning: See ``Legacy/HMACMD5`` for its weaknesses as a way to store passwords.
    ///
    /// - Parameters:
    ///   - passwords: The passwords, any number of them. The bytes of text are its UTF-8, NUL included.
    ///   - key: The key.
    /// - Returns: One code per password, in their order; ``MessageDigest/hex`` is the text that tables store.
    public static func authenticationCodes<Password: SecretInput>(
        forPasswords passwords: some Collection<Password>,
        using key: Key
    ) -> [MessageDigest<16>] {
        MD5Batch(key: key).digests(of: passwords, by: SecretAccess<Password>.self)
    }

    /// Computes the codes (RFC 2104) of many messages that are stored contiguously, sixteen at once, without
    /// allocating memory.
    ///
    /// With AVX-512 or AVX2, sixteen or more messages of similar lengths take a fifth to a tenth of the time of
    /// single calls. A single message takes longer than with the function for one.
    ///
    /// > Warning: See ``Legacy/HMACMD5`` for its weaknesses as a way to store passwords.
    ///
    /// - Parameters:
    ///   - bytes: The messages.
    ///   - ends: The end offset of each message. The first message begins at 0, each other at the end of the previous
    ///     one; an empty message ends where it begins. An offset that is smaller than the previous one or larger than
    ///     the number of bytes is a programming error and stops the process.
    ///   - key: The key.
    ///   - codes: Receives one code per message, in their order. Its free capacity must be at least the number of
    ///     messages; less is a programming error and stops the process.
    public static func authenticate(
        _ bytes: Span<UInt8>,
        endingAt ends: Span<Int>,
        using key: Key,
        into codes: inout OutputSpan<MessageDigest<16>>
    ) {
        MD5Batch(key: key).hash(bytes, endingAt: ends, into: &codes)
    }
}
