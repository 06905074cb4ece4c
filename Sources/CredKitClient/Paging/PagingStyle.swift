// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// How a server divides a list into pages.
///
/// ```swift
/// PagingStyle.pageNumber("page", size: 20, in: "pageSize")     // ?page=1&pageSize=20, ?page=2&pageSize=20 …
/// PagingStyle.offset("offset", size: 50, in: "limit")          // ?offset=0&limit=50, ?offset=50&limit=50 …
/// PagingStyle.cursor("after", next: .field("paging.next"))     // ?after=…, with the cursor of the page before
/// PagingStyle.link                                             // Link: <https://…>; rel="next"
/// PagingStyle.link(field: "next")                              // "next": "https://…"
/// ```
public struct PagingStyle: Sendable, Hashable {
    /// Where a page contains the cursor of the next one.
    public enum CursorLocation: Sendable, Hashable {
        /// A field with a text or an integer, named by its keys from the outermost object, joined by dots. A missing
        /// field or `null` means that there are no more pages. An empty text is a cursor.
        case field(String)

        /// A header. A missing or empty one means that there are no more pages.
        case header(HTTPField.Name)
    }

    enum Kind: Sendable, Hashable {
        case pageNumber(String, first: Int)
        case offset(String, first: Int)
        case cursor(String, next: CursorLocation)
        /// In a field, or in the header.
        case link(field: String?)
    }

    let kind: Kind
    let size: Int?
    let sizeParameter: String?

    /// Pages have numbers.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter of the number.
    ///   - first: The number of the first page.
    ///   - size: The number of elements to ask for. A page with fewer is the last one, unless the server says
    ///     otherwise: do not ask for more than it sends at once. `nil` if the server decides; an empty page is then the
    ///     last one.
    ///   - sizeParameter: The query parameter of the size; `nil` if it is not sent.
    /// - Returns: The style.
    public static func pageNumber(
        _ parameter: String,
        first: Int = 1,
        size: Int? = nil,
        in sizeParameter: String? = nil
    ) -> Self {
        Self(kind: .pageNumber(parameter, first: first), size: size, sizeParameter: sizeParameter)
    }

    /// A page begins after a number of elements.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter of the number of elements before the page.
    ///   - first: The number of elements before the first page.
    ///   - size: The number of elements to ask for; see ``pageNumber(_:first:size:in:)``.
    ///   - sizeParameter: The query parameter of the size; `nil` if it is not sent.
    /// - Returns: The style.
    public static func offset(
        _ parameter: String,
        first: Int = 0,
        size: Int? = nil,
        in sizeParameter: String? = nil
    ) -> Self {
        Self(kind: .offset(parameter, first: first), size: size, sizeParameter: sizeParameter)
    }

    /// Each page contains a cursor, with which the next one is requested.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter of the cursor. The first page is requested without it.
    ///   - next: Where a page contains the next cursor.
    ///   - size: The number of elements to ask for; `nil` if the server decides.
    ///   - sizeParameter: The query parameter of the size; `nil` if it is not sent.
    /// - Returns: The style.
    public static func cursor(
        _ parameter: String,
        next: CursorLocation,
        size: Int? = nil,
        in sizeParameter: String? = nil
    ) -> Self {
        Self(kind: .cursor(parameter, next: next), size: size, sizeParameter: sizeParameter)
    }

    /// Each page has a `Link` header ([RFC 8288](https://www.rfc-editor.org/rfc/rfc8288)) with the URL of the next one,
    /// as `rel="next"`.
    ///
    /// A link is resolved against the URL of the response, and must lead to the server of the first page.
    public static let link = link(size: nil, in: nil)

    /// The style ``link``, whose first request also asks for a page size.
    ///
    /// - Parameters:
    ///   - size: The number of elements to ask for; `nil` if the server decides.
    ///   - sizeParameter: The query parameter of the size; `nil` if it is not sent.
    /// - Returns: The style.
    public static func link(size: Int?, in sizeParameter: String?) -> Self {
        Self(kind: .link(field: nil), size: size, sizeParameter: sizeParameter)
    }

    /// Each page has the URL of the next one in a field, such as `next` of Django REST framework, and `links.next` or `links.next.href` of
    /// [JSON:API](https://jsonapi.org/format/#fetching-pagination). The URL is treated as that of ``link``.
    ///
    /// - Parameters:
    ///   - field: The field with the URL, named by its keys from the outermost object, joined by dots. A missing field,
    ///     `null` or an empty text means that there are no more pages.
    ///   - size: The number of elements to ask for; `nil` if the server decides.
    ///   - sizeParameter: The query parameter of the size; `nil` if it is not sent.
    /// - Returns: The style.
    public static func link(field: String, size: Int? = nil, in sizeParameter: String? = nil) -> Self {
        Self(kind: .link(field: field), size: size, sizeParameter: sizeParameter)
    }
}
