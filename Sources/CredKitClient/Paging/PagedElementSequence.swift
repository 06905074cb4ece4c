// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The elements of a list that a server sends in pages; see ``LoginSession/elements(of:cachePolicy:)``.
public struct PagedElementSequence<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    /// The error of a page.
    public typealias Failure = ClientError

    let pages: PageSequence<Element>

    /// Requests the pages, and returns their elements.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var pages: PageSequence<Element>.AsyncIterator
        var rest: ArraySlice<Element> = []

        /// Returns the next element, and requests a page if it has to.
        ///
        /// - Returns: The element; `nil` after the last one.
        /// - Throws: The ``ClientError`` of ``Pager/next()``; the sequence ends with it.
        public mutating func next() async throws(ClientError) -> Element? {
            while rest.isEmpty {
                guard let page = try await pages.next() else { return nil }
                rest = page.elements[...]
            }
            return rest.popFirst()
        }

        /// Returns the next element, and requests a page if it has to.
        ///
        /// - Parameter actor: The actor to stay isolated to.
        /// - Returns: The element; `nil` after the last one.
        /// - Throws: The ``ClientError`` of ``Pager/next()``; the sequence ends with it.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ClientError) -> Element? {
            while rest.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                rest = page.elements[...]
            }
            return rest.popFirst()
        }
    }

    /// Starts from the first page.
    ///
    /// - Returns: The elements.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }
}
