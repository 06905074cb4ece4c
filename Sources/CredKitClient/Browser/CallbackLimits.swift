// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How much a ``CallbackServer`` bears.
struct CallbackLimits: Sendable {
    /// How many connections are open at once.
    var connectionCount = 16
    /// How long a connection may take for its request and the answer; one that waits for the end of the login may wait on.
    var connectionTime: Duration = .seconds(10)
    /// The size of the head of a request in bytes.
    var headByteCount = 16 << 10
    /// The size of a form in bytes.
    var formByteCount = 64 << 10
    /// How many answers are rejected before the login ends.
    var rejectionCount = 20
    /// How long the last page may take, when the login has ended.
    var endingTime: Duration = .seconds(1)
}
