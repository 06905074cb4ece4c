// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.HMACMD5 {
    /// The codes (RFC 2104) of many messages under one key, sixteen at once.
    ///
    /// Sixteen or more messages of similar lengths take a fifth of the time that they take one after the other,
    /// with AVX-512 or AVX2; a single one takes longer than by the function for one.
    ///
    /// > Warning: See ``Legacy/HMACMD5`` for what it is weak against as a way to store passwords.
    ///
    /// - Parameters:
    ///   - messages: The messages, any number of them; arrays, `String.UTF8View`s … of any lengths.
    ///   - key: The key.
    /// - Returns: A code for each, in their order.
    @inlinable
    public static func authenticationCodes<Message: Collection<UInt8>>(
        for messages: some Collection<Message>,
        using key: Key
    ) -> [MessageDigest<16>] {
        MD5Batch(key: key).digests(of: messages, by: CollectionAccess<Message>.self)
    }

    /// The codes (RFC 2104) of many passwords under one key, sixteen at once, each read in place.
    ///
    /// > Warning: See ``Legacy/HMACMD5`` for what it is weak against as a way to store passwords.
    ///
    /// - Parameters:
    ///   - passwords: The passwords, any number of them; of text their UTF-8, NUL included.
    ///   - key: The key.
    /// - Returns: A code for each, in their order; ``MessageDigest/hex`` is the text that tables hold.
    public static func authenticationCodes<Password: SecretInput>(
        forPasswords passwords: some Collection<Password>,
        using key: Key
    ) -> [MessageDigest<16>] {
        MD5Batch(key: key).digests(of: passwords, by: SecretAccess<Password>.self)
    }

    /// The codes (RFC 2104) of many messages that stand one behind the other in memory, sixteen at once, allocating
    /// nothing.
    ///
    /// Sixteen or more messages of similar lengths take a fifth to a tenth of the time that they take one after the other,
    /// with AVX-512 or AVX2; a single one takes longer than by the function for one.
    ///
    /// > Warning: See ``Legacy/HMACMD5`` for what it is weak against as a way to store passwords.
    ///
    /// - Parameters:
    ///   - bytes: The messages.
    ///   - ends: The offset behind each message; none is smaller than the one before it or larger than the number of bytes,
    ///     else it is a programming error and stops the process. The first message begins at 0, each other at the end of
    ///     the last; of an empty one both are the same.
    ///   - key: The key.
    ///   - codes: Where a code for each goes, in their order. Its free capacity must be at least the number of
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
