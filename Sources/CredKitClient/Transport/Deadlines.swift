// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How long a request may take.
///
/// A transport minds ``connect`` and ``idle``; ``total`` is minded above it, for the whole of a request: all
/// its redirects, the renewal of a login that it needs, and the body of its response.
public struct Deadlines: Sendable, Hashable {
    /// How long a connection may take to be made, its TLS handshake included; 10 seconds by default.
    public var connect: Duration

    /// How long a connection may be silent while a response is awaited or read; 15 seconds by default.
    public var idle: Duration

    /// How long all of a request may take, the body of its response included; 30 seconds by default.
    public var total: Duration

    /// Deadlines.
    ///
    /// - Parameters:
    ///   - connect: How long a connection may take to be made.
    ///   - idle: How long a connection may be silent.
    ///   - total: How long all of a request may take, body included.
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
