// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A body in pieces that are received incrementally: of a response, or of a request that is streamed. It can be read
/// once.
public struct HTTPResponseBody: AsyncSequence, Sendable {
    /// The pieces of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let next: () async throws -> [UInt8]?
        /// The code for errors of `next` that are not ``ClientError``s.
        fileprivate var failureCode = ClientError.Code.transport

        /// Creates an iterator.
        ///
        /// - Parameter next: Returns the next piece; `nil` at the end. Readers get any error that is not a
        ///   ``ClientError`` as the ``ClientError/underlying`` error of one.
        public init(next: @escaping () async throws -> [UInt8]?) { self.next = next }

        /// Returns the next piece; `nil` at the end.
        ///
        /// - Returns: Some bytes.
        /// - Throws: The transport's ``ClientError``.
        public mutating func next() async throws(ClientError) -> [UInt8]? {
            do { return try await next() } catch { throw .wrapping(error, as: failureCode) }
        }

        /// Returns the next piece; `nil` at the end.
        ///
        /// - Parameter actor: The actor to stay isolated to.
        /// - Returns: Some bytes.
        /// - Throws: The transport's ``ClientError``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ClientError) -> [UInt8]? {
            do { return try await next() } catch { throw .wrapping(error, as: failureCode) }
        }
    }

    private let makeIterator: @Sendable () -> AsyncIterator
    /// The whole body, if it is already available.
    let bytes: [UInt8]?
    /// The code for errors that are not ``ClientError``s.
    var failureCode = ClientError.Code.transport
    /// Reports the progress of a body that is sent; `nil` for none.
    var progress: UploadProgress?

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
            return AsyncIterator {
                defer { rest = nil }
                return rest
            }
        }
    }

    /// Starts reading.
    ///
    /// - Returns: The pieces.
    public func makeAsyncIterator() -> AsyncIterator {
        let iterator = makeUnreportedIterator()
        return progress?.reporting(iterator) ?? iterator
    }

    /// Starts reading for a transport that reports the progress itself.
    func makeUnreportedIterator() -> AsyncIterator {
        var iterator = makeIterator()
        iterator.failureCode = failureCode
        return iterator
    }
}

extension HTTPResponseBody {
    /// Returns the same body, but reading it after an instant fails with `timedOut`.
    func ending(at deadline: ContinuousClock.Instant) -> HTTPResponseBody {
        HTTPResponseBody {
            let reader = HTTPBodyReader(self.makeAsyncIterator())
            return AsyncIterator { () async throws(ClientError) in
                try await RequestDeadline.run(until: deadline) { () async throws(ClientError) in
                    try await reader.next()
                }
            }
        }
    }
}
