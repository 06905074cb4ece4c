// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What happens to a request while an earlier one to the same endpoint is under way: until the body of its response has
/// been received, or was dropped by the function that reads it while it arrives.
///
/// ```swift
/// static func search(_ text: String) -> Self {
///     .get("/search", query: ["q": text]).setting(\.duplicates, to: .replace)
/// }
/// ```
public enum DuplicatePolicy: Sendable, Hashable {
    /// Equal requests share one: it is sent once, and each caller gets its response or its error.
    ///
    /// Requests are equal if method, URL, headers and body are, and the same user is logged in. Cancelling one caller
    /// has no effect on the others; when all of them are cancelled, so is the request. A request that may change
    /// something at the server ends the sharing of those that began before it.
    case share

    /// Callers with this policy whose request goes to the same endpoint, with any parameters, get
    /// ``ClientError/cancelled``, also from a body that they read while it arrives, and the new request is sent. Of several
    /// callers at the same time, one remains. An endpoint is method, server and path.
    case replace

    /// The new request is not sent, and its caller gets ``ClientError/duplicateRequest``, if a caller with this policy
    /// waits for one to the same endpoint, with any parameters.
    case ignore

    /// Every request is sent.
    case allow
}
