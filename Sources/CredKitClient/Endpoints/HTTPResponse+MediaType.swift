// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPResponse {
    /// The Content-Type in lower case, without its parameters; `nil` if there is none.
    package var mediaType: String? {
        guard let type = headerFields.first(.contentType) else { return nil }
        return ASCIIText.lowercased(type.prefix { $0 != ";" }).filter { $0 != " " && $0 != "\t" }
    }

    /// Whether the Content-Type is `application/json`, or one that ends in `+json`.
    package var isJSON: Bool {
        guard let mediaType else { return false }
        return mediaType == "application/json" || mediaType.utf8.suffix(5).elementsEqual("+json".utf8)
    }
}
