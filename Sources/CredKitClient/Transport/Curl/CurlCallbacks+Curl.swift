// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl

/// The callbacks of libcurl for a transfer. They must not call libcurl except to read information. Other work
/// is recorded, and done after libcurl returns.
enum CurlCallbacks {
    private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Receives a line of a head.
    static let head: credkit_curl_data = { bytes, size, count, context in
        guard let transfer = unsafe transfer(context) else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        switch unsafe transfer.head.receive(line) {
        case .more:
            transfer.lastActivity = CurlLoop.shared.now
            return line.count
        case .complete:
            if transfer.head.status == 407, transfer.request.peer.hasProxyInPlaceOfOrigin {
                transfer.failure = CurlFailure.refused(407, transfer)
                return 0
            }
            transfer.exchange.receive(head: transfer.head.bytes)
            CurlLoop.shared.touch(transfer)
            return line.count
        case .failure(let error):
            transfer.failure = error
            return 0
        }
    }

    /// Receives a part of a body.
    static let body: credkit_curl_data = { bytes, size, count, context in
        guard let transfer = unsafe transfer(context), transfer.head.isComplete else { return 0 }
        let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        if transfer.isDropped { return part.count }
        CurlLoop.shared.touch(transfer)
        let capacity = transfer.options.collectsBody ? 0 : 256 << 10
        guard unsafe transfer.exchange.receive(body: part, expecting: capacity) else {
            transfer.isHeldUp = true
            return Int(CREDKIT_CURL_PAUSE_WRITING)
        }
        return part.count
    }

    /// Provides a part of an upload.
    static let upload: credkit_curl_data = { bytes, size, count, context in
        guard let transfer = unsafe transfer(context), let upload = transfer.request.upload else {
            return Int(CREDKIT_CURL_ABORT_READING)
        }
        transfer.lastActivity = CurlLoop.shared.now
        transfer.noteUpload()
        switch unsafe upload.take(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) {
        case .bytes(let count): return count
        case .end: return 0
        case .later:
            transfer.isHeldUp = true
            return Int(CREDKIT_CURL_PAUSE_READING)
        case .failure(let error):
            transfer.failure = error
            return Int(CREDKIT_CURL_ABORT_READING)
        }
    }

    /// Called when the request is about to be sent over an established connection.
    static let beforeRequest: credkit_curl_before_request = { context, peer, _, peerPort, ownPort in
        guard let transfer = unsafe transfer(context), let easy = unsafe transfer.easy else {
            return Int32(CREDKIT_CURL_ABORT_REQUEST)
        }
        // libcurl repeats a request of any method if a reused connection turns out to be closed. Prevent
        // that: CredKit decides which requests may be repeated.
        guard !transfer.isSent else {
            transfer.wasAboutToRepeat = true
            return Int32(CREDKIT_CURL_ABORT_REQUEST)
        }
        let address = unsafe peer.map { unsafe String(cString: $0) } ?? ""
        let tls = unsafe credkit_curl_tls(easy)
        let connection = SocketEnds(peer: address, peerPort: peerPort, ownPort: ownPort)
        let wasKept = unsafe CurlFailure.usedKeptConnection(easy)
        guard unsafe !wasKept || ConnectionCheck.isUsable(connection, for: transfer, tls: tls) else {
            transfer.hasStaleConnection = true
            // Close the connection after this transfer if it is the last one to use it.
            _ = unsafe credkit_curl_set_long(easy, Int32(CREDKIT_CURL_LONG_FORBID_REUSE), 1)
            return Int32(CREDKIT_CURL_ABORT_REQUEST)
        }
        // Look up its socket while it is known to be connected.
        if !wasKept, connection.ownPort > 0 { _ = CurlLoop.shared.descriptor(of: connection) }
        transfer.connection = connection
        transfer.isSent = true
        CurlLoop.shared.touch(transfer)
        if let failure = unsafe ConnectionCheck.failure(of: transfer, tls: tls, peer: address) {
            transfer.failure = failure
            return Int32(CREDKIT_CURL_ABORT_REQUEST)
        }
        return 0
    }

    /// Called when a TLS connection is about to be established.
    static let tlsSetup: credkit_curl_tls_setup = { _, context, transferContext in
        guard let transfer = unsafe transfer(transferContext), let context = unsafe context else {
            return Int32(CREDKIT_CURL_ABORTED)
        }
        return unsafe ConnectionCheck.prepare(context, for: transfer) ? 0 : Int32(CREDKIT_CURL_ABORTED)
    }
}
