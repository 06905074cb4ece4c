// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import CredKit
internal import Glibc
internal import HTTPTypes

/// A request in the form that libcurl needs. It is immutable, and wiped on deallocation because headers and
/// bodies contain tokens and passwords.
@safe
final class CurlRequest: @unchecked Sendable {
    /// The peer of the request.
    let peer: CurlPeer
    /// The method. Only the response to `HEAD` has no body.
    let method: String
    /// Whether the request may be sent again if there was no response, RFC 9110 section 9.2.2.
    let mayBeRepeated: Bool
    /// The streamed body; `nil` if the body is not a stream.
    let upload: CurlUpload?
    /// The URL, NUL-terminated.
    let url: UnsafeMutablePointer<CChar>
    /// The headers, as libcurl's list of lines.
    let headers: UnsafeMutablePointer<credkit_curl_list>
    /// The body in memory; `nil` if there is none or it is a stream.
    let body: UnsafeMutableBufferPointer<UInt8>?

    private let memory: UnsafeMutableBufferPointer<UInt8>

    /// Converts a request. Its URL consists of parts that are checked byte by byte, so that no later parser
    /// sees another host in it.
    init(_ request: HTTPRequest, body: HTTPRequestBody?, in pool: CurlPool) throws(ClientError) {
        peer = try pool.peer(scheme: request.scheme ?? "", authority: request.authority ?? "")
        guard let path = request.path, URLBytes.isTarget(path) else {
            throw .invalidRequest("invalid request: the path is not percent-encoded")
        }
        method = request.method.rawValue
        guard body == nil || (method != "HEAD" && method != "TRACE") else {
            throw .invalidRequest("invalid request: a \(method) request must not have a body")
        }
        let lines = try CurlHeaderLines(request, hasBody: body != nil || Self.withEmptyBody.contains(method))

        var memory = CurlRequestMemory(
            byteCount: peer.prefix.utf8.count + path.utf8.count + 1 + lines.byteCount
        )
        unsafe url = memory.next
        memory.append(peer.prefix)
        memory.append(path)
        memory.end()
        let headers = UnsafeMutablePointer<credkit_curl_list>.allocate(capacity: lines.count)
        var index = 0
        lines.forEach { name, separator, value in
            unsafe (headers + index).initialize(
                to: credkit_curl_list(
                    text: memory.next,
                    next: index + 1 < lines.count ? headers + index + 1 : nil
                )
            )
            index += 1
            memory.append(name)
            memory.append(separator)
            memory.append(value)
            memory.end()
        }
        unsafe self.headers = unsafe headers
        unsafe self.memory = unsafe memory.buffer
        switch body?.content {
        case nil:
            unsafe self.body = nil
            upload = nil
        case .bytes(let bytes):
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
            _ = unsafe copy.initialize(from: bytes)
            unsafe self.body = unsafe UnsafeMutableBufferPointer(rebasing: copy[..<bytes.count])
            upload = nil
        case .stream(let stream, let byteCount):
            unsafe self.body = nil
            upload = CurlUpload(stream, byteCount: byteCount)
        }
        mayBeRepeated = Self.idempotent.contains(method) && upload == nil
    }

    deinit {
        unsafe Wiping.wipe(memory)
        unsafe memory.deallocate()
        unsafe headers.deallocate()
        if let body = unsafe body {
            unsafe Wiping.wipe(body)
            unsafe body.baseAddress?.deallocate()
        }
    }

    /// Scheme, host and port as sent to the server.
    var origin: Origin { peer.origin }

    /// Methods whose requests declare an empty body.
    static let withEmptyBody: Set<String> = ["POST", "PUT", "PATCH"]

    private static let idempotent: Set<String> = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"]
}

/// The strings of a request, stored consecutively in one block of memory.
@safe
private struct CurlRequestMemory {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    private var count = 0

    init(byteCount: Int) { unsafe buffer = .allocate(capacity: byteCount) }

    /// The position of the next string.
    var next: UnsafeMutablePointer<CChar> {
        unsafe UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped + count).assumingMemoryBound(
            to: CChar.self
        )
    }

    /// Appends to a string.
    mutating func append(_ text: String) {
        count = unsafe buffer[count...].initialize(fromContentsOf: text.utf8)
    }

    /// Terminates a string.
    mutating func end() {
        unsafe buffer.initializeElement(at: count, to: 0)
        count += 1
    }
}
