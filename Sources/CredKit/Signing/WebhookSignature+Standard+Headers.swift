// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebhookSignature.Standard {
    /// Returns why an identifier is refused; `nil` if it is not.
    static func rejection(ofID id: String) -> WebhookSignature.Reason? {
        guard id.utf8.count <= maximumIDByteCount else { return .limitExceeded }
        let isValid = !id.utf8.isEmpty && id.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ".") }
        return isValid ? nil : .malformedID
    }

    /// Parses a time: up to 12 decimal digits, without a sign or leading zeros, so that a time has one text.
    static func time(_ text: String) -> UnixTime? {
        guard 1...12 ~= text.utf8.count,
            text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            text == "0" || text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int64(text).map { UnixTime($0) }
    }

    /// Returns the well-formed signatures of version `v1` in a header. Others are ignored, because a sender may add new
    /// versions, if there is at least one.
    static func signatures(in header: String) throws(WebhookSignature.Rejection) -> [MessageDigest<32>] {
        guard header.utf8.count <= maximumHeaderByteCount else {
            throw WebhookSignature.Rejection(reason: .limitExceeded)
        }
        let texts = header.utf8.split(separator: UInt8(ascii: " "))
        guard texts.count <= maximumSignatureCount else {
            throw WebhookSignature.Rejection(reason: .limitExceeded)
        }
        let current = texts.filter { $0.starts(with: "v1,".utf8) }
        let signatures = current.compactMap { text in
            (try? Base64.standard.decode(text.dropFirst(3))).flatMap { MessageDigest<32>(bytes: $0) }
        }
        guard signatures.isEmpty else { return signatures }
        let isMalformed = !current.isEmpty || texts.allSatisfy { !$0.contains(UInt8(ascii: ",")) }
        throw WebhookSignature.Rejection(reason: isMalformed ? .malformedSignature : .unsupportedVersion)
    }
}
