// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The request fields that a response was selected by, RFC 9111 section 4.1. Only keyed hashes of their values
/// are stored, because cookies and tokens may be among them. Whether an entry fits a request is for `matches` of
/// `CacheRules`.
struct VariantKey: Sendable, Equatable {
    /// The fields in the order of their names.
    let fields: [Field]

    struct Field: Sendable, Equatable {
        /// The name in lower case.
        let name: String
        /// The keyed hash of the value.
        let digest: [UInt8]
    }

    /// The maximum number of fields. A response that names more is not stored, because each lookup hashes them.
    static let maximumFieldCount = 16

    /// Returns the lowercase names in `Vary`, sorted; `nil` if no request can match.
    static func names(in response: HTTPFields) -> [String]? {
        var names: Set<String> = []
        for element in FieldList(response[values: .vary]).elements {
            // An asterisk is a token, too.
            guard FieldList.isToken(element), element != "*" else { return nil }
            names.insert(ASCIIText.lowercased(element))
            guard names.count <= maximumFieldCount else { return nil }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns a field of a request as bytes, so that equal bytes mean the same.
    ///
    /// Lines are joined and blanks around the elements of a list removed, as section 4.1 permits. Blanks in
    /// credentials are left alone: they are no lists.
    static func bytes(of name: String, in request: HTTPFields) -> [UInt8] {
        var bytes = Array(name.utf8) + [0]
        guard let field = HTTPField.Name(name) else { return bytes }
        let lines = request[values: field]
        // A missing field differs from an empty one.
        guard !lines.isEmpty else { return bytes }
        let isList = ![.cookie, .authorization, .proxyAuthorization].contains(field)
        for element in isList ? FieldList(lines).elements : lines.map({ Substring($0) }) {
            bytes.append(UInt8(ascii: ","))
            bytes.append(contentsOf: element.utf8)
        }
        if bytes.last == 0 { bytes.append(UInt8(ascii: ",")) }
        return bytes
    }
}
