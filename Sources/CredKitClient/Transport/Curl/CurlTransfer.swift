// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// One request on its way: made by a task, and from its start on the curl thread's alone, save for the exchange.
@safe
final class CurlTransfer: @unchecked Sendable {
    let request: CurlRequest
    let exchange = CurlExchange()
    let pool: CurlPool
    /// Where the pool has it.
    let multi: CurlMulti
    let options: TransferOptions
    /// When the head of the response must have come.
    let deadline: ContinuousClock.Instant

    // What follows is the curl thread's.

    /// The transfers to the same origin.
    var queue: CurlQueue?
    /// Names the transfer for as long as the process lives, unlike its address.
    var number: UInt64 = 0
    var state = State.new
    /// libcurl's handle, while the transfer runs.
    var easy: OpaquePointer?
    var head = CurlHead()
    /// How often the request has been sent again.
    var retryCount = 0
    /// Whether it must not go over a connection that was kept.
    var needsNewConnection = false
    /// Whether libcurl was about to send the request, and whether it was about to do so once more.
    var isSent = false
    var wasAboutToRepeat = false
    /// The connection that it goes over, once the request is about to be sent.
    var connection: SocketEnds?
    /// Whether the connection that was kept for it cannot be used. Nothing was sent.
    var hasStaleConnection = false
    /// How many TLS connections were set up for it: one for a proxy, one for the origin.
    var tlsSetupCount = 0
    /// Whether something came in that its task does not know of.
    var isTouched = false
    /// Whether the server has closed its side of the TLS connection, as it does after the last byte.
    var hasTLSEnded = false
    /// Whether libcurl was told to wait, with the body or with the upload.
    var isHeldUp = false
    /// Whether nobody wants the rest of the body any more.
    var isDropped = false
    /// Why one of our own checks ended the transfer.
    var failure: LoginError?
    /// What was wrong with a certificate.
    var certificateProblem: String?
    /// When something was last sent or received, as far as is known.
    var lastActivity: ContinuousClock.Instant
    var lastUploadCount: Int64 = 0
    var uploadTask: Task<Void, Never>?

    enum State { case new, queued, running, ended }

    init(
        request: CurlRequest,
        pool: CurlPool,
        options: TransferOptions,
        deadline: ContinuousClock.Instant
    ) {
        self.request = request
        self.pool = pool
        multi = pool.multi(for: request, options)
        self.options = options
        self.deadline = deadline
        lastActivity = .now
    }

    /// What the request connects to.
    var route: ConnectionRoute { request.peer.route }

    /// Whether the proxy has a TLS connection of its own.
    var usesHTTPSProxy: Bool { request.peer.usesHTTPSProxy }

    /// Forget an attempt, before another one.
    func resetForRetry() {
        retryCount += 1
        needsNewConnection = true
        isSent = false
        wasAboutToRepeat = false
        connection = nil
        hasStaleConnection = false
        tlsSetupCount = 0
        hasTLSEnded = false
        certificateProblem = nil
        head = CurlHead()
    }

    /// When to look at the clock for this transfer again.
    var nextCheck: ContinuousClock.Instant {
        let idle = lastActivity.advanced(by: pool.configuration.idleTimeout.bounded)
        return head.isComplete ? idle : min(idle, deadline)
    }
}

/// How a transport is to treat a request.
package struct TransferOptions: Sendable {
    /// Whether the body of the response is collected by the caller at once, so that the request may share an HTTP/2
    /// connection with others. A body that is read slowly needs a connection of its own: HTTP/2 has no window of ours.
    package var collectsBody: Bool

    /// Looks at the TLS connection that is about to carry the request, on the transport's thread, before a byte of the
    /// request is sent. `false` ends the request with ``LoginError/untrustedServer``. Not called for plain http.
    package var inspectConnection: (@Sendable (borrowing TLSConnection) -> Bool)?

    package init(
        collectsBody: Bool = false,
        inspectConnection: (@Sendable (borrowing TLSConnection) -> Bool)? = nil
    ) {
        self.collectsBody = collectsBody
        self.inspectConnection = inspectConnection
    }
}

extension Duration {
    /// A duration that clocks can add: at most a hundred years.
    var bounded: Duration { min(max(self, .zero), .seconds(3_000_000_000)) }

    /// Whole milliseconds, at least one.
    var milliseconds: Int {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(1_000_000)).components
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
