// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// What tells whether a file at the server is still the one that a download began with, RFC 9110 section 8.8.
enum DownloadValidator: Hashable, Sendable {
    /// A strong entity tag, with its quotes.
    case entityTag(String)
    /// A Last-Modified that is a minute older than the response: the file cannot have changed twice in that second.
    case modified(String)

    /// What a later response says about the file.
    enum Match { case same, other, unknown }

    /// The maximum size of a validator in bytes.
    static let maximumByteCount = 1024

    /// Finds the validator of a response; `nil` if it has none that is strong.
    ///
    /// A date cannot replace a weak tag, RFC 9110 section 13.1.5. Nor can it tell whether a range is compressed as the
    /// first bytes were.
    init?(_ head: HTTPResponse) {
        if head.headerFields.hasField(.eTag) {
            guard let tag = Self.only(.eTag, head), Self.isStrong(tag) else { return nil }
            self = .entityTag(tag)
        } else if !head.headerFields.hasField(.contentEncoding),
            let modified = Self.only(.lastModified, head), let date = Self.only(.date, head),
            let changed = Self.time(modified), let sent = Self.time(date), changed + .seconds(60) <= sent
        {
            self = .modified(modified)
        } else {
            return nil
        }
    }

    /// The value of an If-Range.
    var text: String {
        switch self {
        case .entityTag(let text), .modified(let text): text
        }
    }

    /// Compares with a later response.
    func match(_ head: HTTPResponse) -> Match {
        let name: HTTPField.Name =
            switch self {
            case .entityTag: .eTag
            case .modified: .lastModified
            }
        guard head.headerFields.hasField(name) else { return .unknown }
        return Self.only(name, head).map { ASCIIText.areEqual($0, text) } ?? false ? .same : .other
    }

    /// Whether a text is a strong entity tag, in visible ASCII.
    static func isStrong(_ tag: String) -> Bool {
        let bytes = tag.utf8
        guard bytes.count >= 2, bytes.count <= maximumByteCount, bytes.first == UInt8(ascii: "\""),
            bytes.last == UInt8(ascii: "\"")
        else { return false }
        return bytes.dropFirst().dropLast().allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"")
        }
    }

    /// Parses a date in the only format that senders may use: `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func time(_ text: String) -> UnixTime? {
        let bytes = text.utf8
        guard bytes.count == 29, bytes.suffix(4).elementsEqual(" GMT".utf8) else { return nil }
        return CookieDate.parse(bytes)
    }

    private static func only(_ name: HTTPField.Name, _ head: HTTPResponse) -> String? {
        let fields = head.headerFields.filter { $0.name == name }
        return fields.count == 1 ? fields[0].value : nil
    }
}
