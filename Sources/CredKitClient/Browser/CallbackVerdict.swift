// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a login decides about a request to its ``CallbackServer``.
enum CallbackVerdict: Sendable {
    /// It is the answer that the login waits for, good or bad.
    case accept
    /// It is not: it has another `state`.
    case reject
}
