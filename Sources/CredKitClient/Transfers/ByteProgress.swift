// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How far a download or an upload has come.
///
/// Within an attempt, ``completed`` never decreases.
public struct ByteProgress: Sendable, Hashable {
    /// The number of bytes that are done: those in the file, with a download that was resumed; those that were handed to
    /// the network, with an upload. A server can refuse an upload before all of it was sent: the last state says how much
    /// was, or how much a transport of the program's own has taken.
    public let completed: Int64

    /// The number of bytes in all; `nil` if the server does not say, or sends them with a Content-Encoding.
    public let total: Int64?

    /// How often the bytes were begun from the start, including this time: 2 after an upload was sent again because the
    /// login had expired.
    public let attempt: Int

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes that are done.
    ///   - total: The number of bytes in all; `nil` if it is unknown.
    ///   - attempt: How often the bytes were begun from the start.
    public init(completed: Int64, total: Int64?, attempt: Int = 1) {
        self.completed = completed
        self.total = total
        self.attempt = attempt
    }

    /// The part that is done, from 0 to 1; `nil` if the total is unknown.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
    }
}
