// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Glibc

/// Finds out why a text is no stored hash: a shell has changed it, or it was given in place of a file, or the reverse.
enum StoredHashHint {
    /// Returns what to do about a text of the command line that is no known hash; `nil` if there is nothing to advise.
    static func advice(for text: String) -> String? {
        if !text.isEmpty, !text.contains("$"), access(text, R_OK) == 0 {
            return
                "a file has this name: verify reads a hash from it with --hash-file, inspect from standard input"
        }
        if !text.isEmpty, text.allSatisfy({ "*!".contains($0) }) {
            return "it locks an account, and is no hash"
        }
        if text.isEmpty || isRemainder(text) {
            return "the shell has replaced what follows each $: put the hash in single quotes"
        }
        if (text.first.map { "\"'".contains($0) } ?? false) || text.contains("\\$") {
            return "it has quotation marks or backslashes that a shell would have removed: leave them out"
        }
        if text.last?.isWhitespace == true || text.first?.isWhitespace == true {
            return "it has spaces around it: leave them out"
        }
        if text.utf8.contains(UInt8(ascii: ":")), let field = text.split(separator: ":").dropFirst().first,
            (try? PasswordHash(String(field))) != nil
        {
            return "it is a whole line of a table: give the hash alone, which is the second field"
        }
        if [32, 40, 48, 56, 64, 96, 128].contains(where: { abs($0 - text.utf8.count) <= 2 }),
            text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || isLetter($0) })
        {
            return
                "\(text.utf8.count) characters are no hexadecimal digest: those of MD5 are 32, of SHA-1 40, of SHA-256 64"
        }
        if let name = base64Digests[text.utf8.count], text.hasSuffix("="), text.utf8.allSatisfy(isBase64) {
            return
                "it may be a digest in Base64: name its algorithm before it, as in '{\(name)}\(text.prefix(4))…'"
        }
        if text.contains("$"), !text.hasPrefix("{") {
            return "it is cut off, changed, or of another scheme; 'credkit help formats' lists the schemes"
        }
        return nil
    }

    /// Whether a text that should be the name of a file is a hash.
    static func isHash(_ text: String) -> Bool {
        BareHashOptions.isBare(Array(text.utf8)) || text.contains("$") && (try? PasswordHash(text)) != nil
    }

    /// Whether a text is what shells leave of a hash within double quotes, where `$1`, `$2b` and `$argon2id` are variables
    /// without a value, and `$0` is the name of the shell: `$argon2id$v=19$m=…` becomes `=19=…`, `$2b$10$…` becomes `b0…`, and
    /// `$2b$05$…` becomes `bbash5…`.
    private static func isRemainder(_ text: String) -> Bool {
        guard !text.contains("$"), text.utf8.count < 60 else { return false }
        if text.hasPrefix("=") { return true }
        guard let first = text.first, "abxy".contains(first) else { return false }
        let rest = text.dropFirst()
        return rest.first?.isWholeNumber ?? true || rest.prefix(12).contains("sh")
    }

    /// The names in braces of digests, by the numbers of their Base64 characters.
    private static let base64Digests = [24: "MD5", 28: "SHA", 44: "SHA256", 88: "SHA512"]

    private static func isBase64(_ byte: UInt8) -> Bool {
        isLetter(byte) || UInt8(ascii: "g")...UInt8(ascii: "z") ~= byte | 0x20
            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "+/=".utf8.contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
    }
}
