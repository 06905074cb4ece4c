// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// One request in progress. A task creates it; once started, only the curl thread uses it, except for the
/// exchange.
@safe
final class CurlTransfer: @unchecked Sendable {
    let request: CurlRequest
    let exchange = CurlExchange()
    let pool: CurlPool
    /// The connections of the pool that it uses.
    let multi: CurlMulti
    let options: TransferOptions
    /// When the head of the response must have been received.
    let deadline: ContinuousClock.Instant

    // The following state belongs to the curl thread.

    /// The transfers to the same origin.
    var queue: CurlQueue?
    /// A unique ID for the life of the process, unlike the address.
    var number: UInt64 = 0
    var state = State.new
    /// libcurl's handle, while the transfer runs.
    var easy: OpaquePointer?
    var head = CurlHead()
    /// How often the request was sent again.
    var retryCount = 0
    /// Whether it must not use an existing connection.
    var needsNewConnection = false
    /// Whether libcurl was about to send the request, and whether it was about to send it again.
    var isSent = false
    var wasAboutToRepeat = false
    /// The connection that it uses, once the request is about to be sent.
    var connection: SocketEnds?
    /// Whether its existing connection cannot be used. Nothing was sent.
    var hasStaleConnection = false
    /// The number of TLS connections set up for it: one for a proxy, one for the origin.
    var tlsSetupCount = 0
    /// Whether something was received that the task does not know of yet.
    var isTouched = false
    /// Whether the server has closed its side of the TLS connection, as it does after the last byte.
    var hasTLSEnded = false
    /// Whether libcurl was told to pause the body or the upload.
    var isHeldUp = false
    /// Whether the rest of the body is to be discarded.
    var isDropped = false
    /// The error of our own check that ended the transfer.
    var failure: ClientError?
    /// The reason why a certificate was rejected.
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
        needsNewConnection = options.needsNewConnection
        lastActivity = .now
    }

    /// The peer that the request connects to.
    var route: ConnectionRoute { request.peer.route }

    /// Whether the connection to the proxy uses TLS.
    var usesHTTPSProxy: Bool { request.peer.usesHTTPSProxy }

    /// Resets the state of an attempt before the next one.
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

    /// When the timeouts of this transfer must be checked next.
    var nextCheck: ContinuousClock.Instant {
        let idle = lastActivity.advanced(by: pool.configuration.idleTimeout.bounded)
        return head.isComplete ? idle : min(idle, deadline)
    }
}

extension Duration {
    /// The duration, limited to about a hundred years, so that it can be added to a clock's instant.
    var bounded: Duration { min(max(self, .zero), .seconds(3_000_000_000)) }

    /// Whole milliseconds, at least one.
    var milliseconds: Int {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(1_000_000)).components
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
