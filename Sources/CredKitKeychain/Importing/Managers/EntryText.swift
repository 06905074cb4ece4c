// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// Texts of entries, and writing them where secrets must not pass through the heap.
enum EntryText {
    /// Returns a text with U+FFFD in place of each control character, and of those that XML cannot have.
    static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { !isVisible($0.value) }) else { return text }
        var visible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { visible.append(isVisible(scalar.value) ? scalar : "\u{FFFD}") }
        return String(visible)
    }

    private static func isVisible(_ scalar: UInt32) -> Bool {
        scalar >= 0x20 && scalar != 0x7F && isXML(scalar)
    }

    /// Returns whether XML 1.0 can have a character.
    static func isXML(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 9, 10, 13, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Returns whether a secret is text that XML can have.
    static func isXML(_ secret: SecretBytes) -> Bool {
        secret.isUTF8
            && secret.withSecretBytes { bytes in
                bytes.indices.allSatisfy { index in
                    let byte = bytes[index]
                    // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
                    if byte == 0xEF, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE { return false }
                    return byte >= 0x20 || byte == 9 || byte == 10 || byte == 13
                }
            }
    }

    /// Returns a text for messages, shortened to some 100 bytes.
    static func shortened(_ text: String) -> String {
        text.utf8.count <= 100 ? text : clipped(text, to: 97) + "…"
    }

    /// Returns the beginning of a text, no longer than a label may be.
    static func clipped(_ text: String, to limit: Int = StoreLimits.nameByteCount) -> String {
        guard text.utf8.count > limit else { return text }
        var end = limit
        while end > 0 {
            if let start = String(text.utf8.prefix(end)) { return start }
            end -= 1
        }
        return ""
    }

    /// Returns what `write` emits, which it must do twice in the same way: the first time it is counted.
    static func document(_ write: ((UInt8) -> Void) -> Void) throws(KeychainError) -> SecretBytes {
        var count = 0
        write { _ in count += 1 }
        guard count <= TransferLimits.fileByteCount else {
            throw .overLimit("the file would be larger than \(TransferLimits.fileByteCount >> 20) MiB")
        }
        var position = 0
        do throws(SecretMemoryError) {
            return try SecretBytes(capacity: count) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                    write { byte in
                        guard position < buffer.count else { return }
                        unsafe buffer[position] = byte
                        position += 1
                    }
                    initializedCount = position
                }
            }
        } catch {
            throw .outOfMemory
        }
    }
}

extension SecretBytes {
    /// Calls `body` with each byte.
    func forEachByte(_ body: (UInt8) -> Void) {
        withSecretBytes { bytes in
            for index in bytes.indices { body(bytes[index]) }
        }
    }
}
