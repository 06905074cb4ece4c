// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The body of a response, in pieces as they come in. It can be read once.
public struct ResponseBody: AsyncSequence, Sendable {
    /// Hands out the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let next: () async throws(LoginError) -> [UInt8]?

        /// An iterator.
        ///
        /// - Parameter next: Answers with the next piece, `nil` at the end.
        public init(next: @escaping () async throws(LoginError) -> [UInt8]?) { self.next = next }

        /// The next piece; `nil` at the end.
        ///
        /// - Returns: Some bytes.
        /// - Throws: ``LoginError`` as the transport does.
        public mutating func next() async throws(LoginError) -> [UInt8]? { try await next() }

        /// The next piece; `nil` at the end.
        ///
        /// - Parameter actor: Whose isolation to stay in.
        /// - Returns: Some bytes.
        /// - Throws: ``LoginError`` as the transport does.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(LoginError) -> [UInt8]? {
            try await next()
        }
    }

    private let makeIterator: @Sendable () -> AsyncIterator
    /// All of the body, if it is there already.
    let bytes: [UInt8]?

    /// A body that comes in by and by.
    ///
    /// - Parameter makeIterator: Starts reading; called once.
    public init(_ makeIterator: @escaping @Sendable () -> AsyncIterator) {
        self.makeIterator = makeIterator
        bytes = nil
    }

    /// A body that is there already.
    ///
    /// - Parameter bytes: The bytes, none by default.
    public init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
        makeIterator = {
            var rest: [UInt8]? = bytes.isEmpty ? nil : bytes
            return AsyncIterator { () throws(LoginError) in
                defer { rest = nil }
                return rest
            }
        }
    }

    /// Starts reading.
    ///
    /// - Returns: The pieces.
    public func makeAsyncIterator() -> AsyncIterator { makeIterator() }
}
