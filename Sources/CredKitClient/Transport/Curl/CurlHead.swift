// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Collects the lines of a response's head, within limits.
struct CurlHead {
    /// The maximum number of fields in a response, including trailers.
    static let maximumFieldCount = 256
    /// The maximum size in bytes of one field, and of all of them.
    static let maximumFieldByteCount = 80 << 10
    static let maximumByteCount = 2 << 20

    /// The error for a head over these limits.
    static let tooLong = ClientError.overLimit("the response has too many or too long headers")

    /// The effect of a line on the head.
    enum Progress {
        case more
        /// The head of the final response is complete.
        case complete
        case failure(ClientError)
    }

    private(set) var bytes: [UInt8] = []
    private(set) var isComplete = false
    /// The declared size of the body in bytes; `nil` if none is declared.
    private(set) var byteCount: Int?
    private var isChunked = false
    /// The number of fields, and their size in bytes, including trailers.
    private var fieldCount = 0
    private var fieldByteCount = 0
    private(set) var status = 0

    /// Whether only the end of the connection marks the end of the body.
    var endsWithConnection: Bool { byteCount == nil && !isChunked && status != 204 && status != 304 }

    /// Whether anything has been received.
    var hasBegun: Bool { status != 0 }

    /// Receives a line with its line end.
    mutating func receive(_ line: UnsafeRawBufferPointer) -> Progress {
        // Lines after the body are trailers. They are ignored, but libcurl keeps each of them.
        if isComplete {
            if unsafe line.allSatisfy({ $0 == 13 || $0 == 10 }) { return .more }
            return countField(line.count) ? .more : .failure(Self.tooLong)
        }
        if unsafe line.starts(with: "HTTP/".utf8) {
            bytes.removeAll(keepingCapacity: true)
            fieldCount = 0
            fieldByteCount = line.count
            byteCount = nil
            isChunked = false
            unsafe status = Self.status(of: line)
            guard status != 0 else {
                return .failure(.malformedResponse("malformed response: invalid status"))
            }
            bytes.reserveCapacity(512)
            unsafe bytes.append(contentsOf: line)
            return .more
        }
        guard status != 0 else { return .failure(.malformedResponse("malformed response: it is not HTTP")) }
        guard unsafe !line.allSatisfy({ $0 == 13 || $0 == 10 }) else {
            // An informational response is followed by another response.
            guard status >= 200 else { return .more }
            isComplete = true
            return .complete
        }
        guard countField(line.count) else { return .failure(Self.tooLong) }
        if let problem = unsafe framingProblem(of: line) { return .failure(.malformedResponse(problem)) }
        unsafe bytes.append(contentsOf: line)
        return .more
    }

    /// Counts a field.
    ///
    /// - Parameter byteCount: Its size in bytes.
    /// - Returns: Whether it is within the limits.
    private mutating func countField(_ byteCount: Int) -> Bool {
        fieldCount += 1
        fieldByteCount += byteCount
        return fieldCount <= Self.maximumFieldCount && byteCount <= Self.maximumFieldByteCount
            && fieldByteCount <= Self.maximumByteCount
    }

    /// Returns the status in a status line; `0` if it is not a valid one.
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

    /// Returns the reason why a line that determines the length of the response is rejected. libcurl uses the
    /// last of several lengths, and ignores a length that is not a number.
    private mutating func framingProblem(of line: UnsafeRawBufferPointer) -> String? {
        guard let first = unsafe line.first, first | 0x20 == 0x63 || first | 0x20 == 0x74 else { return nil }
        if let value = unsafe Self.value(of: "transfer-encoding", in: line) {
            // libcurl decompresses transfer codings even if they were not requested: a small response could
            // expand to any size.
            isChunked = value.map { $0 | 0x20 } == Array("chunked".utf8)
            return isChunked ? nil : "malformed response: it has a transfer coding that was not requested"
        }
        if let value = unsafe Self.value(of: "content-length", in: line) {
            guard value.count < 19, let count = Int(String(decoding: value, as: UTF8.self)), count >= 0,
                value.first != UInt8(ascii: "+"), byteCount.map({ $0 == count }) ?? true
            else { return "malformed response: it declares an invalid length, or several lengths" }
            byteCount = count
        }
        return nil
    }

    /// Returns the value in a line without blanks, if the line is of the given field.
    private static func value(of name: String, in line: UnsafeRawBufferPointer) -> [UInt8]? {
        guard line.count > name.utf8.count, unsafe line[name.utf8.count] == UInt8(ascii: ":") else {
            return nil
        }
        guard unsafe zip(line, name.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else { return nil }
        return unsafe line[(name.utf8.count + 1)...].filter { $0 != 0x20 && $0 != 9 && $0 != 13 && $0 != 10 }
    }
}
