// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The error when guarded memory for a secret cannot be allocated.
public struct SecretMemoryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The memory that was requested.
    public let requested: MemorySize

    /// Creates the error, for tests of code that handles it.
    ///
    /// - Parameter requested: The memory that was requested.
    public init(requested: MemorySize) { self.requested = requested }

    /// A description for people.
    public var description: String {
        "no guarded memory for a secret of \(requested): the memory or the number of mappings that "
            + "this process may have is used up (see `ulimit -v` and vm.max_map_count)"
    }
}
