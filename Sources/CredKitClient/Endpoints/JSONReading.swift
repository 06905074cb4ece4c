// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// JSON to values and back, with errors that name where, and never what.
enum JSONReading {
    static func read<Value: DecodableWithConfiguration>(
        _ type: Value.Type,
        from bytes: [UInt8],
        configuration: Value.DecodingConfiguration,
        status: Int?
    ) throws(LoginError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes), configuration: configuration)
        } catch {
            throw .malformedResponse(reason(error), status: status)
        }
    }

    static func write(_ value: some Encodable) throws(LoginError) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(value))
        } catch let error as EncodingError {
            guard case .invalidValue(_, let context) = error else {
                throw .invalidRequest("the body cannot be written as JSON")
            }
            throw .invalidRequest("the body cannot be written as JSON at \(text(of: context.codingPath))")
        } catch {
            throw .invalidRequest("the body cannot be written as JSON")
        }
    }

    /// The context of an error has the server's data in it; its path has the program's own keys.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "the response has no \(text(of: context.codingPath + [key]))"
        case DecodingError.valueNotFound(_, let context):
            "the response has null, or nothing, at \(text(of: context.codingPath))"
        case DecodingError.typeMismatch(let type, let context):
            "the response has no \(type) at \(text(of: context.codingPath))"
        case DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "the response is not JSON, is nested too deeply, or has a number out of its range"
                : "the response has something else at \(text(of: context.codingPath))"
        default: "the response cannot be understood"
        }
    }

    private static func text(of path: [any CodingKey]) -> String {
        if path.isEmpty { return "its outermost level" }
        // Keys can come from the server where a program reads a dictionary: nobody wants all of those, or
        // control characters on a terminal.
        let text = path.prefix(16).map { key in
            if let index = key.intValue { return "[\(index)]" }
            return PlainLine.text(key.stringValue, upTo: 40)
        }
        return "'\(text.joined(separator: "."))'"
    }
}
