// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How a transport handles a request.
public struct TransferOptions: Sendable {
    /// Whether the caller collects the body at once, so that the request may share an HTTP/2 connection with others. A
    /// body that is read slowly needs its own connection if the transport cannot set the HTTP/2 flow-control window.
    /// The transport may ignore it.
    public var collectsBody: Bool

    /// Which channel binding the connection must have; `nil` if it needs none. The transport must not ignore it: see
    /// ``HTTPTransport/send(_:body:deadline:options:)``.
    public var channelBinding: ChannelBindingRule?

    /// Inspects the TLS connection for the request, on the transport's thread, before any byte of the request
    /// is sent. If it returns `false`, the request fails with ``ClientError/untrustedServer``. It is not
    /// called for unencrypted http.
    var inspectConnection: (@Sendable (borrowing TLSConnection) -> Bool)?

    /// Is told which connection carries the request, on the transport's thread: the peer's address, and the version of TLS;
    /// `nil` for unencrypted http.
    var noteConnection: (@Sendable (_ peer: String, _ tls: String?) -> Void)?

    /// Whether the transport must not send the request again after the server may have received it. A request that
    /// another one would do for then fails with ``ClosedConnection`` as the underlying error.
    var isSentOnce = false

    /// Whether the request must not use a kept connection.
    var needsNewConnection = false

    /// Creates options.
    ///
    /// - Parameters:
    ///   - collectsBody: Whether the caller collects the body at once.
    ///   - channelBinding: Which channel binding the connection must have; `nil` if it needs none.
    public init(collectsBody: Bool = false, channelBinding: ChannelBindingRule? = nil) {
        self.collectsBody = collectsBody
        self.channelBinding = channelBinding
    }
}

/// The server had closed a connection that was kept open, maybe after it received the request, which may be repeated.
struct ClosedConnection: Error {}
