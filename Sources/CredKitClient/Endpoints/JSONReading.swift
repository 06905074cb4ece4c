// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Converts JSON to values and back. Errors name the location, and never the data.
enum JSONReading {
    /// Decodes a document, or a part of one.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bytes: The JSON.
    ///   - budget: What this may cost.
    ///   - status: The status of the response, for errors.
    ///   - path: Where the part is in its document, for errors.
    ///   - firstIndex: The index of the first element of a part that is an array.
    /// - Returns: The value.
    /// - Throws: ``ClientError/malformedResponse``, ``ClientError/overLimit``, ``ClientError/timedOut``.
    static func read<Value: Decodable>(
        _ type: Value.Type,
        from bytes: ArraySlice<UInt8>,
        _ budget: DecodingBudget = DecodingBudget(),
        status: Int? = nil,
        at path: [any CodingKey] = [],
        firstIndex: Int = 0
    ) throws(ClientError) -> Value {
        guard let count = valueCount(of: bytes) else {
            throw .malformedResponse("malformed response: it is not JSON", status: status)
        }
        try budget.check(valueCount: count, status: status)
        let value: Value
        do {
            value = try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw .malformedResponse(reason(error, at: path, firstIndex), status: status)
        }
        try budget.checkDeadline()
        return value
    }

    /// Returns about how many values and names are in a document, which may be malformed; `nil` if it is not UTF-8: Foundation
    /// also decodes other encodings, all of which have zeros.
    private static func valueCount(of bytes: ArraySlice<UInt8>) -> Int? {
        var count = 1
        var (isText, isEscaped) = (false, false)
        for byte in bytes {
            if byte == 0 { return nil }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isText.toggle()
            } else if isText {
                isEscaped = byte == UInt8(ascii: "\\")
            } else {
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
                default: break
                }
            }
        }
        return count
    }

    static func write(_ value: some Encodable) throws(ClientError) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(value))
        } catch let error as EncodingError {
            guard case .invalidValue(_, let context) = error else {
                throw .invalidRequest("cannot encode the request body as JSON")
            }
            throw .invalidRequest("cannot encode the request body as JSON at \(text(of: context.codingPath))")
        } catch {
            throw .invalidRequest("cannot encode the request body as JSON")
        }
    }

    /// The context of an error contains the server's data; its path contains the program's own keys.
    private static func reason(_ error: any Error, at path: [any CodingKey], _ firstIndex: Int) -> String {
        func place(_ keys: [any CodingKey]) -> String {
            guard firstIndex > 0, let index = keys.first?.intValue else { return text(of: path + keys) }
            return text(of: path + [JSONKey("[\(firstIndex + index)]")] + keys.dropFirst())
        }
        return switch error {
        case DecodingError.keyNotFound(let key, let context):
            "the response has no \(place(context.codingPath + [key]))"
        case DecodingError.valueNotFound(_, let context):
            "malformed response: \(place(context.codingPath)) is null or missing"
        case DecodingError.typeMismatch(let type, let context):
            "the response has no \(type) at \(place(context.codingPath))"
        case DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "malformed response: it is not JSON, is nested too deeply, or has a number that is out of range"
                : "malformed response: invalid value at \(place(context.codingPath))"
        default: "malformed response"
        }
    }

    private static func text(of path: [any CodingKey]) -> String {
        if path.isEmpty { return "the top level" }
        // Keys come from the server where a program decodes a dictionary. Limit their number, and remove
        // control characters, which would reach a terminal.
        let text = path.prefix(16).map { key in
            if let index = key.intValue { return "[\(index)]" }
            return TerminalSafeText.text(key.stringValue, upTo: 40)
        }
        return "'\(text.joined(separator: "."))'"
    }
}

/// What decoding a response may cost. Foundation's decoder takes up to 100 bytes for each value of a document, so that
/// the size of a response alone does not limit its memory.
struct DecodingBudget: Sendable {
    /// The maximum number of values and names in JSON that is decoded at once, and of elements in a page.
    var maximumValueCount = 1 << 20

    /// The end of the time for the response; `nil` for none.
    var deadline: ContinuousClock.Instant?

    /// The budget of responses up to a size: one value for each 16 bytes, which is denser than most JSON.
    static func responses(upTo byteCount: Int, deadline: ContinuousClock.Instant? = nil) -> Self {
        Self(maximumValueCount: max(Self().maximumValueCount, byteCount / 16), deadline: deadline)
    }

    /// Throws if the time is over.
    func checkDeadline() throws(ClientError) {
        if let deadline, ContinuousClock.now >= deadline { throw .timedOut }
    }

    /// Throws if there are too many values.
    func check(valueCount: Int, status: Int? = nil) throws(ClientError) {
        guard valueCount <= maximumValueCount else {
            throw .overLimit("the response has more than \(maximumValueCount) values", status: status)
        }
    }
}

/// Any key of a JSON object.
struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: some StringProtocol) { stringValue = String(text) }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
