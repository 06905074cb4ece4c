// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A list that a server sends in pages: how to ask for them, and where their elements are.
///
/// ```swift
/// extension PagedEndpoint<Student> {
///     static let allStudents = Self(.get("/list"), paging: .pageNumber("page", size: 20, in: "pageSize"))
/// }
/// for try await student in session.elements(of: .allStudents) { … }
/// ```
///
/// There is a next page, or not, by the first of these that the response has:
///
/// 1. the field ``hasMore``;
/// 2. the total number of elements, in the envelope's field or in ``total``;
/// 3. the cursor or the link of the next page, if the list has such;
/// 4. fewer elements than requested;
/// 5. no elements.
///
/// Elements are decoded from JSON. `[UInt8]` is the JSON of an element as the server wrote it, on one line. Fields are
/// named by their keys from the outermost object, joined by dots, as in ``Envelope``.
public struct PagedEndpoint<Element: Decodable & Sendable>: Sendable {
    /// The request of the first page; the parameters of ``paging`` are added to its query, or replaced there.
    public var endpoint: Endpoint<[Element]>

    /// How the server divides the list into pages.
    public var paging: PagingStyle

    /// The field with the array of elements; `nil` for the body in the envelope, or for the whole response if there is
    /// no envelope. A `null` is an empty page.
    public var items: String?

    /// The field that says whether there are more pages, `true` or `false`; `nil` if there is none.
    public var hasMore: String?

    /// The field with the total number of elements; `nil` for the envelope's field, if it has one.
    public var total: String?

    /// The maximum number of pages to request. A list with more throws ``ClientError/tooManyPages``.
    public var maximumPageCount = 10_000

    /// Returns what tells elements apart.
    var identify: (@Sendable (Element) -> ElementID)?

    /// The URL of the first page, if it is known.
    package var url: HTTPURL?

    /// Creates the description of a list.
    ///
    /// - Parameters:
    ///   - endpoint: The request of the first page, without the parameters of the style.
    ///   - paging: How the server divides the list into pages.
    ///   - items: The field with the array of elements; see ``items``.
    public init(_ endpoint: Endpoint<[Element]>, paging: PagingStyle, items: String? = nil) {
        self.endpoint = endpoint
        self.paging = paging
        self.items = items
    }

    /// Returns a copy of this list in which elements are told apart by a property. If the list changes while its pages
    /// are requested, an element can be sent again on a later page; it is then left out.
    ///
    /// The last 100,000 elements are compared, at least. Texts are compared byte by byte.
    ///
    /// - Parameter id: The property, such as `\.id`.
    /// - Returns: The list.
    public func identified<ID: Hashable & Sendable>(by id: any KeyPath<Element, ID> & Sendable) -> Self {
        var list = self
        list.identify = { ElementID($0[keyPath: id]) }
        return list
    }

    /// Returns a copy of this list with one property changed:
    /// `allStudents.setting(\.hasMore, to: "data.hasMore")`.
    ///
    /// - Parameters:
    ///   - field: The property.
    ///   - value: Its new value.
    /// - Returns: The list.
    public func setting<Field>(_ field: WritableKeyPath<Self, Field>, to value: Field) -> Self {
        var list = self
        list[keyPath: field] = value
        return list
    }
}

extension PagedEndpoint {
    /// One page of a list.
    public struct Page: Sendable {
        /// The elements, without those that were on earlier pages; see ``PagedEndpoint/identified(by:)``.
        public let elements: [Element]

        /// The number of the page among those that were received, from 1.
        public let number: Int

        /// The total number of elements in the list; `nil` if the server does not say.
        public let total: Int?
    }
}
