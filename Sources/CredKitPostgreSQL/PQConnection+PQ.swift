// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPQ
internal import CredKit
internal import CredKitServer
internal import Glibc

/// A connection to a PostgreSQL server, which one thread at a time uses. No call waits longer than until its deadline, except for
/// names that the system's resolver looks up and for ``cancel()``.
@safe
final class PQConnection: @unchecked Sendable {
    typealias Deadline = ContinuousClock.Instant

    let handle: OpaquePointer
    /// `nil` if the session of the server may change.
    var prepared: PreparedStatements? = PreparedStatements()
    /// Whether transactions have turned out to have another isolation than READ COMMITTED by default.
    var hasOtherIsolation = false

    /// Connects, and verifies the server before it gets the name of the user.
    init(_ parameters: ConnectionParameters, deadline: Deadline) throws(SharedStateError) {
        guard let handle = unsafe Self.start(parameters) else {
            throw SharedStateError(.outOfSpace, message: "there is not enough memory to connect")
        }
        unsafe self.handle = unsafe handle
        // The message of a connection that failed contains SQLSTATE then: the text may be in any language.
        _ = unsafe libpq.PQsetErrorVerbosity(handle, Int32(CREDKIT_PQ_VERBOSE))
        try connect(parameters.verifier, deadline)
        // Notices would be printed.
        _ = unsafe libpq.PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard unsafe libpq.PQsetnonblocking(handle, 1) == 0, unsafe libpq.PQenterPipelineMode(handle) == 1
        else {
            throw lost
        }
    }

    deinit { unsafe libpq.PQfinish(handle) }

    private static func start(_ parameters: ConnectionParameters) -> OpaquePointer? {
        func start(_ password: [UInt8]?) -> OpaquePointer? {
            let names =
                parameters.values.map { Array($0.name.utf8) }
                + (password.map { _ in [Array("password".utf8)] } ?? [])
            let values = parameters.values.map { Array($0.value.utf8) } + (password.map { [$0] } ?? [])
            return unsafe CStrings.with(names) { names in
                unsafe CStrings.with(values) { values in unsafe libpq.PQconnectStartParams(names, values, 0) }
            }
        }
        guard let password = parameters.password else { return unsafe start(nil) }
        return unsafe password.withSecretBytes { bytes in
            var copy = bytes.indices.map { bytes[$0] }
            defer { unsafe copy.withUnsafeMutableBufferPointer { unsafe Wiping.wipe($0) } }
            return unsafe start(copy)
        }
    }

    private func connect(_ verifier: PeerVerifier?, _ deadline: Deadline) throws(SharedStateError) {
        // libpq has begun to connect, which ends when the socket can be written to.
        var direction = Int32(CREDKIT_PQ_POLL_WRITING)
        var isVerified = false
        while direction != Int32(CREDKIT_PQ_POLL_OK) {
            guard unsafe libpq.PQsocket(handle) >= 0 else { throw connectionFailure }
            guard wait(for: direction == Int32(CREDKIT_PQ_POLL_READING) ? POLLIN : POLLOUT, deadline) else {
                throw SharedStateError(
                    .timedOut,
                    message: "the PostgreSQL server did not accept the connection in time"
                )
            }
            // The next step sends the name of the user; without TLS so far, it asks for TLS.
            if unsafe libpq.PQstatus(handle) == Int32(CREDKIT_PQ_MADE), let verifier {
                isVerified = unsafe libpq.PQsslInUse(handle) != 0
                if isVerified { try verify(verifier) }
                // libpq asks for no TLS on a Unix socket, which a list of hosts can contain.
                guard isVerified || !isOverSocket else {
                    throw SharedStateError(
                        .untrustedServer,
                        message: "a Unix socket of PostgreSQL has no certificate"
                    )
                }
            }
            direction = unsafe libpq.PQconnectPoll(handle)
            if direction == Int32(CREDKIT_PQ_POLL_FAILED) { throw connectionFailure }
        }
        guard verifier == nil || isVerified else {
            throw SharedStateError(.untrustedServer, message: "the PostgreSQL server does not use TLS")
        }
    }

    /// Whether the present host is a Unix socket.
    private var isOverSocket: Bool {
        let host = unsafe libpq.PQhost(handle).map { unsafe String(cString: $0) } ?? ""
        return host.hasPrefix("/") || host.hasPrefix("@")
    }

    /// Throws an error if the server that has sent its certificates is not the one that libpq connects to.
    private func verify(_ verifier: PeerVerifier) throws(SharedStateError) {
        let host = unsafe libpq.PQhost(handle).map { unsafe String(cString: $0) } ?? ""
        guard let problem = verifier.problem(of: peerCertificates, host: host) else { return }
        throw SharedStateError(.untrustedServer, message: "the PostgreSQL server is not trusted: \(problem)")
    }

    /// The certificates that the server has sent, in DER.
    private var peerCertificates: [[UInt8]] {
        guard let tls = unsafe libpq.PQsslStruct(handle, "OpenSSL"),
            let chain = unsafe libpq.SSL_get_peer_cert_chain(OpaquePointer(tls))
        else { return [] }
        return unsafe (0..<max(0, libpq.OPENSSL_sk_num(chain))).map { index in
            guard let certificate = unsafe libpq.OPENSSL_sk_value(chain, index) else { return [] }
            let count = unsafe libpq.i2d_X509(certificate, nil)
            guard count > 0 else { return [] }
            return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, written in
                var next = buffer.baseAddress
                written = max(0, Int(unsafe libpq.i2d_X509(certificate, &next)))
            }
        }
    }

    // MARK: Waiting

    /// Waits until the socket is ready. Returns `false` after the deadline, also if a server does not stop to send.
    func wait(for events: Int32, _ deadline: Deadline) -> Bool {
        while true {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { return false }
            let count = poll(for: events, milliseconds: Int32(min(left.rounded(.up), 60_000)))
            if count > 0 || count < 0 && errno != EINTR { return true }
        }
    }

    func poll(for events: Int32, milliseconds: Int32) -> Int32 {
        var entry = unsafe pollfd(fd: libpq.PQsocket(handle), events: Int16(events), revents: 0)
        return unsafe Glibc.poll(&entry, 1, milliseconds)
    }

    /// Asks the server to cancel the statement of this connection, over a connection of its own. It waits for the server, without a
    /// limit if that has stopped but is not gone.
    func cancel() {
        guard let request = unsafe libpq.PQgetCancel(handle) else { return }
        defer { unsafe libpq.PQfreeCancel(request) }
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            _ = unsafe libpq.PQcancel(request, message.baseAddress, Int32(message.count))
        }
    }
}
