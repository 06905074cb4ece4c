// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The timeouts of a request.
///
/// A transport enforces ``connect`` and ``idle``. The caller of the transport enforces ``total``, for the
/// whole request: all redirects, a renewal of the login, and the body of the response. Transfers of any size have no
/// total timeout: ``total`` then ends before the body of the response, and does not include the body of the request.
public struct Timeouts: Sendable, Hashable {
    /// The timeout for establishing a connection, including the TLS handshake; 10 seconds by default.
    public var connect: Duration

    /// The timeout for a silent connection while a response is awaited or read; 15 seconds by default.
    public var idle: Duration

    /// The timeout for the whole request, including the body of the response; 30 seconds by default.
    ///
    /// - For a streamed response and a download, it includes the head, but not the body.
    /// - For a request whose body is a file, or a stream of a known size, it does not include that body. Such a request
    ///   gets a second more for each kibibyte.
    public var total: Duration

    /// Creates timeouts.
    ///
    /// - Parameters:
    ///   - connect: The timeout for establishing a connection.
    ///   - idle: The timeout for a silent connection.
    ///   - total: The timeout for the whole request, including the body.
    public init(
        connect: Duration = .seconds(10),
        idle: Duration = .seconds(15),
        total: Duration = .seconds(30)
    ) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
