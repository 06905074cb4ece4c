// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Keys as PEM ([RFC 7468](https://www.rfc-editor.org/rfc/rfc7468)), for OpenSSL's readers.
///
/// Those skip what precedes the first key that they can read, ignore what follows it, and accept older formats. Here a
/// text contains one object with the expected label and nothing else but white space around it.
enum PEMText {
    /// The maximum length of a text, in bytes. Keys for RSA with 16,384 bits are shorter.
    private static let maximumByteCount = 32_768

    /// Calls `body` with a reader of a text in place; not at all if the text is too long, or is not one object.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - label: What the object is, such as `PUBLIC KEY`.
    ///   - body: Receives the reader.
    static func withReader(
        of text: some SecretInput,
        label: StaticString,
        _ body: (OpaquePointer) -> Void
    ) {
        text.withSecretBytes { bytes in
            guard 1...maximumByteCount ~= bytes.count, let object = object(in: bytes, label) else { return }
            unsafe bytes.extracting(object).withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress,
                    let reader = unsafe BIO_new_mem_buf(base, Int32(bytes.count))
                else { return }
                defer { unsafe BIO_free(reader) }
                unsafe body(reader)
            }
        }
    }

    /// Returns where the only object is, without white space around it, which OpenSSL does not accept on its first line.
    ///
    /// Hyphens between both lines would begin another object, and colons belong to headers. All of the bytes are looked
    /// at, however they compare: they may be a private key.
    private static func object(in bytes: Span<UInt8>, _ label: StaticString) -> Range<Int>? {
        let (begin, end) = ("-----BEGIN \(label)-----", "-----END \(label)-----")
        var (start, stop) = (0, bytes.count)
        while start < stop, isWhitespace(bytes[start]) { start += 1 }
        while stop > start, isWhitespace(bytes[stop - 1]) { stop -= 1 }
        guard stop - start > begin.utf8.count + end.utf8.count else { return nil }
        let content = (start + begin.utf8.count)..<(stop - end.utf8.count)
        guard begin.utf8.enumerated().allSatisfy({ bytes[start + $0.offset] == $0.element }),
            end.utf8.enumerated().allSatisfy({ bytes[content.upperBound + $0.offset] == $0.element })
        else { return nil }
        var others = 0
        for index in content {
            let byte = bytes[index]
            others += (byte == UInt8(ascii: "-") ? 1 : 0) + (byte == UInt8(ascii: ":") ? 1 : 0)
        }
        return others == 0 ? start..<stop : nil
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || 0x09...0x0D ~= byte
    }
}

/// Without this callback, OpenSSL would ask at the terminal for the passphrase of an encrypted key.
func refusePEMPassphrase(
    _: UnsafeMutablePointer<CChar>?,
    _: Int32,
    _: Int32,
    _: UnsafeMutableRawPointer?
) -> Int32 { -1 }
