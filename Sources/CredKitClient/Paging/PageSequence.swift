// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The pages of a list, each of which is requested when it is needed; see ``LoginSession/pages(of:cachePolicy:)``.
public struct PageSequence<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = PagedEndpoint<Value>.Page
    /// The error of a page.
    public typealias Failure = ClientError

    let list: PagedEndpoint<Value>
    let session: LoginSession
    let cachePolicy: CachePolicy

    /// Requests the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// `nil` after the last page or an error.
        var pager: Pager<Value>?

        /// Requests the next page.
        ///
        /// - Returns: The page; `nil` after the last one.
        /// - Throws: The ``ClientError`` of ``Pager/next()``; the sequence ends with it.
        public mutating func next() async throws(ClientError) -> PagedEndpoint<Value>.Page? {
            guard let pager else { return nil }
            self.pager = nil
            guard let page = try await pager.next() else { return nil }
            self.pager = pager
            return page
        }

        /// Requests the next page.
        ///
        /// - Parameter actor: The actor to stay isolated to.
        /// - Returns: The page; `nil` after the last one.
        /// - Throws: The ``ClientError`` of ``Pager/next()``; the sequence ends with it.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ClientError) -> PagedEndpoint<Value>.Page? {
            guard let pager else { return nil }
            self.pager = nil
            guard let page = try await pager.next() else { return nil }
            self.pager = pager
            return page
        }
    }

    /// Starts from the first page.
    ///
    /// - Returns: The pages.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pager: session.pager(of: list, cachePolicy: cachePolicy))
    }
}
