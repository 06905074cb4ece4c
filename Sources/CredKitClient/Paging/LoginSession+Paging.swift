// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

extension LoginSession {
    /// Returns the elements of a list that the server sends in pages. A page is requested when its first element is
    /// needed; each iteration starts from the first page.
    ///
    /// ```swift
    /// for try await student in session.elements(of: .allStudents) { print(student.name) }
    /// ```
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - cachePolicy: How the cache is used for each page, if the session has one.
    /// - Returns: The elements. Iterating throws the ``ClientError``s of ``Pager/next()``.
    public func elements<Element>(of list: PagedEndpoint<Element>, cachePolicy: CachePolicy = .default)
        -> PagedElementSequence<Element>
    {
        PagedElementSequence(pages: pages(of: list, cachePolicy: cachePolicy))
    }

    /// Returns the pages of a list, like ``elements(of:cachePolicy:)``.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - cachePolicy: How the cache is used for each page, if the session has one.
    /// - Returns: The pages. Iterating throws the ``ClientError``s of ``Pager/next()``.
    public func pages<Element>(of list: PagedEndpoint<Element>, cachePolicy: CachePolicy = .default)
        -> PageSequence<Element>
    {
        PageSequence(list: list, session: self, cachePolicy: cachePolicy)
    }

    /// Returns a pager, for programs that request pages at other times than a loop does, such as lists on a screen.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - cachePolicy: How the cache is used for each page, if the session has one.
    /// - Returns: A pager at the first page.
    public func pager<Element>(of list: PagedEndpoint<Element>, cachePolicy: CachePolicy = .default) -> Pager<
        Element
    > {
        Pager(list, in: self, cachePolicy: cachePolicy)
    }

    /// The number of logins and logouts that changed the user.
    var userNumber: Int { state.withLock { $0.logins.generation.user } }
}
