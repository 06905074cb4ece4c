// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// One connection to a ``CallbackServer``: a request, and the answer to it.
struct CallbackConnection {
    /// What a connection is at.
    enum Stage: Sendable, Equatable {
        /// A request is being received.
        case receiving
        /// The request is the answer of the login, whose end it waits for.
        case waiting
        /// The response is being sent.
        case sending
        /// The response was sent; what the peer still sends is dropped until it closes the connection.
        case draining
        /// It is over.
        case ended
    }

    /// What was received.
    enum Message {
        /// A complete request.
        case request(CallbackRequest)
        /// Something that is no request, is too large, or has a method that is not allowed.
        case refused(CallbackPage)
    }

    /// The connection.
    let socket: LoopbackConnection
    /// When it is closed, unless it waits for the end of the login.
    let deadline: ContinuousClock.Instant
    /// What it is at.
    private(set) var stage = Stage.receiving
    private var received: [UInt8] = []
    private var head: (value: CallbackHead, end: Int)?
    private var output: ArraySlice<UInt8> = []

    init(_ socket: LoopbackConnection, deadline: ContinuousClock.Instant) {
        self.socket = socket
        self.deadline = deadline
    }

    /// Whether nothing was received, as with those that browsers open in advance.
    var isSilent: Bool { stage == .receiving && received.isEmpty }

    /// What to wait for.
    var interest: LoopbackListener.Interest {
        switch stage {
        case .receiving, .draining: .receiving
        case .sending: .sending
        case .waiting, .ended: .loss
        }
    }

    /// Goes on when the socket is ready.
    ///
    /// - Parameters:
    ///   - limits: How large a request may be.
    ///   - acceptsForms: Whether a request may be a form that was posted.
    /// - Returns: What was received, once; it must be answered with ``send(_:isHead:)`` or ``waitForEnding()``.
    mutating func advance(_ limits: CallbackLimits, acceptsForms: Bool) -> Message? {
        switch stage {
        case .receiving: return receive(limits, acceptsForms: acceptsForms)
        case .sending: send()
        case .draining: drain()
        case .waiting: stage = .ended
        case .ended: break
        }
        return nil
    }

    /// Leaves the answer for the end of the login.
    mutating func waitForEnding() { stage = .waiting }

    /// Sends a page, and closes the connection then.
    mutating func send(_ page: CallbackPage, isHead: Bool = false) {
        output = page.response(isHead: isHead)[...]
        stage = .sending
        send()
    }

    private mutating func receive(_ limits: CallbackLimits, acceptsForms: Bool) -> Message? {
        switch socket.receive(limit: 4096) {
        case .nothing: return nil
        case .end:
            stage = .ended
            return nil
        case .bytes(let bytes): received += bytes
        }
        // A browser that tries https first learns at once that there is none.
        guard let first = received.first, (0x41...0x5A).contains(first) else { return .refused(.wrong) }
        if head == nil {
            let end = CallbackHead.end(in: received, from: received.count - 4096 - 3)
            guard (end ?? received.count) <= limits.headByteCount else { return .refused(.wrong) }
            guard let end else { return nil }
            guard let value = CallbackHead(parsing: Array(received[..<end])) else { return .refused(.wrong) }
            head = (value, end)
        }
        guard let (known, end) = head else { return nil }
        switch known.method {
        case "GET", "HEAD": break
        case "POST" where acceptsForms: break
        default: return .refused(.wrongMethod)
        }
        guard known.contentLength <= limits.formByteCount else { return .refused(.wrong) }
        guard received.count >= end + known.contentLength else { return nil }
        // Bytes behind the request are dropped: the connection is closed after the answer.
        let body = Array(received[end..<end + known.contentLength])
        guard let request = CallbackRequest(known, body: body) else { return .refused(.wrong) }
        return .request(request)
    }

    private mutating func send() {
        while !output.isEmpty {
            guard let count = socket.send(output) else {
                stage = .ended
                return
            }
            if count == 0 { return }
            output = output.dropFirst(count)
        }
        socket.endSending()
        stage = .draining
        drain()
    }

    /// With unread bytes, closing the connection would take the response away from the peer.
    private mutating func drain() {
        if socket.receive(limit: 4096) == .end { stage = .ended }
    }
}
