// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What is wrong with a JSON text, told by where it is: never by what stands there, which may be secret.
enum JSONFault {
    static func describe(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is no JSON" }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(path(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context): return "\(path(context.codingPath)) is null"
        case .typeMismatch(let type, let context):
            return "\(path(context.codingPath)) is no \(type)"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "it is no JSON" : "\(path(context.codingPath)) is not valid"
        @unknown default: return "it is not valid"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        if keys.isEmpty { return "the whole" }
        return keys.map { key in key.intValue.map(String.init) ?? String(key.stringValue.prefix(64)) }
            .joined(separator: ".")
    }
}
