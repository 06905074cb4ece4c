// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import CredKit
internal import Glibc
internal import HTTPTypes

/// A request as libcurl takes it. It never changes, and is wiped when it goes: headers and bodies have tokens and
/// passwords in them.
@safe
final class CurlRequest: @unchecked Sendable {
    /// Scheme, host and port, as the wire has them.
    let origin: Origin
    /// The method. `HEAD` alone has no body in its response.
    let method: String
    /// Whether the request may be sent again if nothing came back, RFC 9110 section 9.2.2.
    let isRepeatable: Bool
    /// What is streamed, if the body is.
    let upload: CurlUpload?
    /// The URL, ended with a NUL.
    let url: UnsafeMutablePointer<CChar>
    /// The headers, as libcurl's list of lines.
    let headers: UnsafeMutablePointer<credkit_curl_list>
    /// The body in memory; `nil` for none or a stream.
    let body: UnsafeMutableBufferPointer<UInt8>?

    private let memory: UnsafeMutableBufferPointer<UInt8>

    /// Take a request apart. Its URL is made of parts that are checked byte by byte, so that no later reader of it
    /// sees another host in it.
    init(_ request: HTTPRequest, body: RequestBody?) throws(LoginError) {
        guard let scheme = request.scheme, scheme == "https" || scheme == "http" else {
            throw .invalidRequest("the scheme is neither https nor http")
        }
        guard let authority = request.authority, URLBytes.isAuthority(authority) else {
            throw .invalidRequest("the host is none that a request can be sent to")
        }
        guard let path = request.path, URLBytes.isTarget(path) else {
            throw .invalidRequest("the path is not percent-encoded")
        }
        origin = try HTTPURL("\(scheme)://\(authority)/").origin
        method = request.method.rawValue
        let lines = try Self.lines(of: request, hasBody: body != nil)
        let text = "\(scheme)://\(authority)\(path)"

        var memory = CurlRequestMemory(byteCount: text.utf8.count + 1 + lines.byteCount)
        unsafe url = unsafe memory.append(text.utf8)
        unsafe headers = .allocate(capacity: lines.texts.count)
        for (index, line) in lines.texts.enumerated() {
            unsafe (headers + index).initialize(
                to: credkit_curl_list(
                    text: memory.append(line.utf8),
                    next: index + 1 < lines.texts.count ? headers + index + 1 : nil
                )
            )
        }
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
        isRepeatable = Self.idempotent.contains(method) && upload == nil
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

    private static let idempotent: Set<String> = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"]

    /// The header lines, and how many bytes they take with a NUL each.
    private static func lines(
        of request: HTTPRequest,
        hasBody: Bool
    ) throws(LoginError) -> (texts: [String], byteCount: Int) {
        var lines: [String] = []
        lines.reserveCapacity(request.headerFields.count + 3)
        var cookies: String?
        // A line without a value takes back what libcurl would send of its own.
        var own: [(name: HTTPField.Name, line: String)] = [(.accept, "Accept:"), (.expect, "Expect:")]
        if hasBody { own.append((.contentType, "Content-Type:")) }
        for field in request.headerFields {
            guard field.name != host else {
                throw .invalidRequest("the host is part of the URL, not a header")
            }
            // What would frame the message in another way, or begin another header.
            guard field.value.utf8.allSatisfy({ $0 != 13 && $0 != 10 && $0 != 0 }) else {
                throw .invalidRequest(
                    "the header \(field.name.canonicalName) has characters that HTTP does not allow"
                )
            }
            own.removeAll { $0.name == field.name }
            if field.name == .cookie {
                cookies = cookies.map { "\($0); \(field.value)" } ?? field.value
                continue
            }
            // libcurl sends a header without a value if its line ends with a semicolon.
            lines.append(
                field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)"
            )
        }
        // HTTPTypes keeps cookies in a field each, as HTTP/2 may have them. HTTP/1.1 has one field for all
        // of them, RFC 9113 section 8.2.3; of several, servers read one.
        if let cookies { lines.append("Cookie: \(cookies)") }
        lines += own.map(\.line)
        return (lines, lines.reduce(0) { $0 + $1.utf8.count + 1 })
    }

    private static let host = HTTPField.Name("Host")
}

/// The texts of a request, one behind the other in one piece of memory.
@safe
private struct CurlRequestMemory {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    private var next: UnsafeMutablePointer<UInt8>

    init(byteCount: Int) {
        unsafe next = .allocate(capacity: byteCount)
        unsafe buffer = unsafe UnsafeMutableBufferPointer(start: next, count: byteCount)
    }

    /// Append a text and a NUL.
    mutating func append(_ text: String.UTF8View) -> UnsafeMutablePointer<CChar> {
        let start = unsafe next
        for byte in text {
            unsafe next.initialize(to: byte)
            unsafe next += 1
        }
        unsafe next.initialize(to: 0)
        unsafe next += 1
        return unsafe UnsafeMutableRawPointer(start).assumingMemoryBound(to: CChar.self)
    }
}
