// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The lines of a response's head as they come in, within limits.
struct CurlHead {
    /// The most fields of a response.
    static let maximumFieldCount = 256
    /// The most bytes of one field, and of all of them.
    static let maximumFieldByteCount = 80 << 10
    static let maximumByteCount = 2 << 20

    /// The error of a head over these.
    static let tooLong = LoginError.overLimit("the response has too many headers, or too long ones")

    /// What a line did to the head.
    enum Progress {
        case more
        /// The head of the final response is whole.
        case complete
        case failure(LoginError)
    }

    private(set) var bytes: [UInt8] = []
    private(set) var isComplete = false
    /// The declared size of the body in bytes; `nil` if none is.
    private(set) var byteCount: Int?
    private var isChunked = false
    private var fieldCount = 0
    private(set) var status = 0

    /// Whether nothing but the end of the connection says where the body ends.
    var endsWithConnection: Bool { byteCount == nil && !isChunked && status != 204 && status != 304 }

    /// Whether anything came in.
    var hasBegun: Bool { status != 0 }

    /// Take a line, with its line end.
    mutating func receive(_ line: UnsafeRawBufferPointer) -> Progress {
        // What comes after the body are trailers, which nobody reads.
        if isComplete { return .more }
        if unsafe line.starts(with: "HTTP/".utf8) {
            bytes.removeAll(keepingCapacity: true)
            fieldCount = 0
            byteCount = nil
            isChunked = false
            unsafe status = Self.status(of: line)
            guard status != 0 else { return .failure(.malformedResponse("the response has no valid status")) }
            bytes.reserveCapacity(512)
            unsafe bytes.append(contentsOf: line)
            return .more
        }
        guard status != 0 else { return .failure(.malformedResponse("the response is not HTTP")) }
        guard unsafe !line.allSatisfy({ $0 == 13 || $0 == 10 }) else {
            // An informational response is followed by another one.
            guard status >= 200 else { return .more }
            isComplete = true
            return .complete
        }
        fieldCount += 1
        guard fieldCount <= Self.maximumFieldCount, line.count <= Self.maximumFieldByteCount,
            bytes.count + line.count <= Self.maximumByteCount
        else { return .failure(Self.tooLong) }
        if let problem = unsafe framingProblem(of: line) { return .failure(.malformedResponse(problem)) }
        unsafe bytes.append(contentsOf: line)
        return .more
    }

    /// The status of a status line, `0` if it is none of HTTP's.
    private static func status(of line: UnsafeRawBufferPointer) -> Int {
        guard let blank = unsafe line.firstIndex(of: 0x20), blank + 3 < line.count else { return 0 }
        var status = 0
        for index in blank + 1...blank + 3 {
            guard case let digit = unsafe line[index], (0x30...0x39).contains(digit) else { return 0 }
            status = status * 10 + Int(digit - 0x30)
        }
        let next = blank + 4 < line.count ? unsafe line[blank + 4] : 10
        return (next == 0x20 || next == 13 || next == 10) && status >= 100 && status != 101 ? status : 0
    }

    /// What is wrong with a line that says where the response ends. libcurl takes the last of several lengths, and one that
    /// is no number for none.
    private mutating func framingProblem(of line: UnsafeRawBufferPointer) -> String? {
        guard let first = unsafe line.first, first | 0x20 == 0x63 || first | 0x20 == 0x74 else { return nil }
        if let value = unsafe Self.value(of: "transfer-encoding", in: line) {
            // libcurl decodes what comes compressed, asked for or not: a small response could become any size.
            isChunked = value.map { $0 | 0x20 } == Array("chunked".utf8)
            return isChunked ? nil : "the response has a transfer coding that was not asked for"
        }
        if let value = unsafe Self.value(of: "content-length", in: line) {
            guard value.count < 19, let count = Int(String(decoding: value, as: UTF8.self)), count >= 0,
                value.first != UInt8(ascii: "+"), byteCount.map({ $0 == count }) ?? true
            else { return "the response declares no length that can be, or several" }
            byteCount = count
        }
        return nil
    }

    /// The value of a line, without blanks, if it is of a field.
    private static func value(of name: String, in line: UnsafeRawBufferPointer) -> [UInt8]? {
        guard line.count > name.utf8.count, unsafe line[name.utf8.count] == UInt8(ascii: ":") else {
            return nil
        }
        guard unsafe zip(line, name.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else { return nil }
        return unsafe line[(name.utf8.count + 1)...].filter { $0 != 0x20 && $0 != 9 && $0 != 13 && $0 != 10 }
    }
}
