// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
internal import CredKitSystem
internal import Glibc

/// One connection of a ``LoopbackServer``.
struct PeerConnection {
    private static let byteCountLimit = 64 << 20

    private let socket: Descriptor
    private var buffer: [UInt8] = []

    init(_ socket: Descriptor) { self.socket = socket }

    /// Reads the next request; `nil` at the end of the connection, or if the request is malformed or incomplete.
    mutating func readRequest() -> PeerRequest? {
        var lines: [String] = []
        while let line = readLine() {
            if !line.isEmpty { lines.append(line) } else if !lines.isEmpty { break }
        }
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3 else { return nil }
        var request = PeerRequest(method: String(words[0]), target: String(words[1]), fields: [])
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[colon...].dropFirst().drop { $0 == " " }
            request.fields.append((line[..<colon].lowercased(), String(value)))
        }
        if request.value("expect") != nil, !send("HTTP/1.1 100 Continue\r\n\r\n") { return nil }
        if request.value("transfer-encoding") != nil {
            while let line = readLine(), let count = Int(line, radix: 16) {
                guard let chunk = read(count), readLine() == "" else { return nil }
                if count == 0 { return request }
                request.body += chunk
            }
            return nil
        }
        guard let body = read(Int(request.value("content-length") ?? "0") ?? 0) else { return nil }
        request.body = body
        return request
    }

    /// Sends an answer, and returns whether the connection may be used again.
    mutating func send(_ answer: PeerAnswer, isHead: Bool) -> Bool {
        switch answer {
        case .response(let status, let fields, let body):
            var head = "HTTP/1.1 \(status) Status\r\n"
            for (name, value) in fields { head += "\(name): \(value)\r\n" }
            if status != 204 { head += "Content-Length: \(body.count)\r\n" }
            return send(head + "\r\n") && (isHead || send(body))
        case .noResponse: break
        case .partOfBody(let part, let ends):
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(PeerAnswer.announcedByteCount)\r\n\r\n"
            guard send(head), send(part), !ends else { break }
            waitForEnd()
        case .silence: waitForEnd()
        }
        shutdown(socket.number, Int32(SHUT_RDWR))
        return false
    }

    private mutating func waitForEnd() { while receive() { buffer = [] } }

    /// Reads a line without its end.
    private mutating func readLine() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end].filter { $0 != 13 }, as: UTF8.self)
            }
            guard buffer.count < 1 << 20, receive() else { return nil }
        }
    }

    private mutating func read(_ count: Int) -> [UInt8]? {
        guard (0...Self.byteCountLimit).contains(count) else { return nil }
        while buffer.count < count { guard receive() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Receives some bytes; returns `false` at the end of the connection.
    private mutating func receive() -> Bool {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe piece.withUnsafeMutableBytes {
            unsafe recv(socket.number, $0.baseAddress, $0.count, 0)
        }
        if count < 0 { return errno == EINTR }
        buffer += piece.prefix(count)
        return count > 0
    }

    private func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    private func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}
#endif
