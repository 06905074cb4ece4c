// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The body of a response, in pieces that are received incrementally. It can be read once.
public struct HTTPResponseBody: AsyncSequence, Sendable {
    /// Returns the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let next: () async throws(ClientError) -> [UInt8]?

        /// Creates an iterator.
        ///
        /// - Parameter next: Returns the next piece; `nil` at the end.
        public init(next: @escaping () async throws(ClientError) -> [UInt8]?) { self.next = next }

        /// Returns the next piece; `nil` at the end.
        ///
        /// - Returns: Some bytes.
        /// - Throws: The transport's ``ClientError``.
        public mutating func next() async throws(ClientError) -> [UInt8]? { try await next() }

        /// Returns the next piece; `nil` at the end.
        ///
        /// - Parameter actor: The actor to stay isolated to.
        /// - Returns: Some bytes.
        /// - Throws: The transport's ``ClientError``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ClientError) -> [UInt8]? {
            try await next()
        }
    }

    private let makeIterator: @Sendable () -> AsyncIterator
    /// The whole body, if it is already available.
    let bytes: [UInt8]?

    /// Creates a body that is received incrementally.
    ///
    /// - Parameter makeIterator: Starts reading; called once.
    public init(_ makeIterator: @escaping @Sendable () -> AsyncIterator) {
        self.makeIterator = makeIterator
        bytes = nil
    }

    /// Creates a body that is already available.
    ///
    /// - Parameter bytes: The bytes; none by default.
    public init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
        makeIterator = {
            var rest: [UInt8]? = bytes.isEmpty ? nil : bytes
            return AsyncIterator { () throws(ClientError) in
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
