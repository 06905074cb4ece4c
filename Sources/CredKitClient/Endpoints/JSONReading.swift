// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Converts JSON to values and back. Errors name the location, and never the data.
enum JSONReading {
    static func read<Value: DecodableWithConfiguration>(
        _ type: Value.Type,
        from bytes: [UInt8],
        configuration: Value.DecodingConfiguration,
        status: Int?
    ) throws(ClientError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes), configuration: configuration)
        } catch {
            throw .malformedResponse(reason(error), status: status)
        }
    }

    static func read<Value: Decodable>(
        _ type: Value.Type,
        from bytes: [UInt8],
        status: Int?
    ) throws(ClientError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw .malformedResponse(reason(error), status: status)
        }
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
    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "the response has no \(text(of: context.codingPath + [key]))"
        case DecodingError.valueNotFound(_, let context):
            "malformed response: \(text(of: context.codingPath)) is null or missing"
        case DecodingError.typeMismatch(let type, let context):
            "the response has no \(type) at \(text(of: context.codingPath))"
        case DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "malformed response: it is not JSON, is nested too deeply, or has a number that is out of range"
                : "malformed response: invalid value at \(text(of: context.codingPath))"
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
