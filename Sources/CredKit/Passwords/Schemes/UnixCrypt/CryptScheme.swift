// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A scheme of crypt(3). The text up to its digest is the setting that libxcrypt is called with.
protocol CryptScheme: LayerableScheme {
    /// The text up to the digest.
    var head: String { get }

    /// The text of the digest.
    var tail: String { get set }

    /// The character that encodes zero in ``tail``.
    static var zeroDigit: Character { get }
}

extension CryptScheme {
    static var zeroDigit: Character { "." }

    var description: String { head + tail }
    var digest: [UInt8] { Array(tail.utf8) }

    var setting: Self {
        var copy = self
        copy.tail = String(repeating: Self.zeroDigit, count: tail.utf8.count)
        return copy
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try UnixCrypt.checkFitsCrypt(password)
        do throws(PasswordError) {
            return try UnixCrypt.digest(of: password, head: head, tail: tail)
        } catch {
            // libxcrypt does not report a lack of memory separately. The setting was already found to be well-formed.
            let takesMemory = computationCost(passwordByteCount: 0).memory > .mebibytes(1)
            throw error == .backendFailed && takesMemory ? .outOfMemory : error
        }
    }
}

extension UnixCrypt {
    /// Recomputes the digest of a hash for a password, in the encoding of its text.
    static func digest(
        of password: Span<UInt8>,
        head: String,
        tail: String
    ) throws(PasswordError) -> SecretBytes {
        let text = try hash(password, setting: head + tail)
        let headCount = head.utf8.count
        let isAsExpected = text.withSecretBytes { text in
            text.count == headCount + tail.utf8.count
                && zip(text.indices, head.utf8).allSatisfy { text[$0] == $1 }
        }
        guard isAsExpected else { throw .backendFailed("libxcrypt interprets this hash differently") }
        return try unsafe .derived(count: tail.utf8.count) { output in
            text.withSecretBytes { text in
                for index in 0..<tail.utf8.count { unsafe output[index] = text[headCount + index] }
            }
            return nil
        }
    }

    /// Returns whether libxcrypt accepts a text as a salt: printable characters without a meaning in passwd files.
    static func isSalt(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"$:;*!\\".utf8.contains($0) }
    }
}
