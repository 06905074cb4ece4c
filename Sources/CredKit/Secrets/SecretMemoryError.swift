// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The error when guarded memory for a secret cannot be allocated.
public struct SecretMemoryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The number of bytes that were requested.
    public let requestedByteCount: Int

    /// A description for people.
    public var description: String {
        "no guarded memory for a secret of \(requestedByteCount) bytes: the memory or the number of mappings that "
            + "this process may have is used up (see `ulimit -v` and vm.max_map_count)"
    }
}
