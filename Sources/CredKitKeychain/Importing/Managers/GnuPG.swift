// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// Encrypts and decrypts with the program `gpg` and the keys of this user. Files are passed on its standard input, so that
/// no name of a file can become an option.
struct GnuPG {
    /// The maximum size of a decrypted file in bytes: a secret of the largest size, and as much of other text.
    static let plaintextLimit = 4 * StoreLimits.secretByteCount

    /// Whether the agent may ask for the passphrase of a key.
    var prompts: Bool

    /// Decrypts a file.
    ///
    /// - Parameter file: The whole file.
    /// - Returns: The plaintext.
    /// - Throws: ``KeychainError``; ``KeychainError/denied`` if no key decrypts it.
    func decrypt(_ file: [UInt8]) throws(KeychainError) -> SecretBytes {
        let (plaintext, report) = try run(["--decrypt"], file.span, limit: Self.plaintextLimit)
        guard report.contains("DECRYPTION_OKAY") else {
            if report.contains("NO_SECKEY") { throw .denied("gpg has no key that decrypts it") }
            throw .denied("gpg cannot decrypt it")
        }
        return plaintext
    }

    /// Encrypts for keys.
    ///
    /// - Parameters:
    ///   - plaintext: The plaintext.
    ///   - recipients: The keys: fingerprints, or any other name that gpg accepts.
    /// - Returns: The file.
    /// - Throws: ``KeychainError``; ``KeychainError/denied`` if a key cannot be used.
    func encrypt(_ plaintext: SecretBytes, for recipients: [String]) throws(KeychainError) -> [UInt8] {
        let options =
            ["--encrypt", "--no-encrypt-to", "--compress-algo=none", "--no-auto-key-locate"]
            + recipients.map { "--recipient=" + $0 }
        let (file, report) = try plaintext.withSecretBytes { (bytes) throws(KeychainError) in
            try run(options, bytes, limit: Self.plaintextLimit + (64 << 10))
        }
        guard report.contains("END_ENCRYPTION"), !report.contains("INV_RECP"), !file.isEmpty else {
            throw .denied(
                "gpg cannot encrypt for \(recipients.joined(separator: ", ")): each key must be present, valid and trusted"
            )
        }
        return file.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Runs gpg, and returns its output, and the keywords of its status lines; the output is not to be used without the
    /// keyword of success. No keyword if it failed.
    private func run(
        _ options: [String],
        _ input: Span<UInt8>,
        limit: Int
    ) throws(KeychainError) -> (SecretBytes, Set<String>) {
        let base = [
            "gpg", "--batch", "--no-tty", "--quiet", "--status-fd=\(FilterProgram.reportDescriptor)",
            "--output=-",
        ]
        let words = base + (prompts ? [] : ["--pinentry-mode=error"]) + options
        var result: (status: Int32, report: [UInt8]) = (-1, [])
        var failure: SystemError?
        var isTooLong = false
        let output = try convertingMemory(
            SecretBytes(capacity: limit) { output in
                do throws(SystemError) {
                    var program = try FilterProgram(words, without: "CREDKIT_PASSPHRASE", "cannot run gpg")
                    var pieces = 0
                    result = try unsafe output.withUnsafeMutableBufferPointer {
                        (buffer, count) throws(SystemError) in
                        try program.run(input: input) { piece in
                            guard piece.count <= buffer.count - pieces else {
                                isTooLong = true
                                return false
                            }
                            for index in piece.indices { unsafe buffer[pieces + index] = piece[index] }
                            pieces += piece.count
                            count = pieces
                            return true
                        }
                    }
                } catch {
                    failure = error
                }
            }
        )
        if let failure { throw KeychainError(failure) }
        guard !isTooLong else { throw .overLimit("it is longer than \(limit) bytes when decrypted") }
        var keywords: Set<String> = []
        for line in result.report.split(separator: 10) {
            let words = line.split(separator: 32, maxSplits: 2)
            guard words.count >= 2, words[0].elementsEqual("[GNUPG:]".utf8) else { continue }
            keywords.insert(String(decoding: words[1], as: UTF8.self))
        }
        if result.status != 0 {
            keywords.remove("DECRYPTION_OKAY")
            keywords.remove("END_ENCRYPTION")
        }
        return (try convertingMemory(SecretBytes(output)), keywords)
    }
}
