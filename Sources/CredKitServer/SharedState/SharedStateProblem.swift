// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why an engine is not suitable for a shared state, and how to mend it.
public struct SharedStateProblem: Sendable, Hashable, CustomStringConvertible {
    /// A short name, such as `maxmemory-policy`: a setting, or the name of a ``SharedStateError/Code``.
    public let code: String

    /// What is wrong.
    public let message: String

    /// What to do about it; empty if that is obvious.
    public let remedy: String

    /// The problem and what to do.
    public var description: String { remedy.isEmpty ? message : "\(message): \(remedy)" }

    init(_ code: String, _ message: String, _ remedy: String = "") {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    /// Creates the problem that an error shows.
    ///
    /// - Parameter error: What an engine or its client threw.
    public init(_ error: any Error) {
        let error = error as? SharedStateError ?? SharedStateError(.failed, underlying: error)
        self.init(error.code.rawValue, error.description)
    }
}
