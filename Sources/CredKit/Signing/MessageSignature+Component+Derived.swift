// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature.Component {
    /// The components that are not fields (RFC 9421 §2.2). Finding the name once is faster than comparing it wherever the
    /// component is used.
    enum Derived: String {
        case method = "@method"
        case targetURI = "@target-uri"
        case authority = "@authority"
        case scheme = "@scheme"
        case requestTarget = "@request-target"
        case path = "@path"
        case query = "@query"
        case queryParameter = "@query-param"
        case status = "@status"

        init?(_ name: String) {
            // Other names are those of fields.
            guard name.utf8.first == UInt8(ascii: "@") else { return nil }
            self.init(rawValue: name)
        }
    }
}
