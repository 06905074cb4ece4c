// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Describes errors in JSON by their location, never by the data there, which may be secret.
enum JSONFault {
    static func describe(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is not JSON" }
        switch error {
        case .keyNotFound(let key, let context):
            let member = path(context.codingPath + [key])
            if context.debugDescription == unknownName { return "unknown setting '\(member)'" }
            return "\(member) is missing"
        case .valueNotFound(_, let context): return "\(path(context.codingPath)) is null"
        case .typeMismatch(let type, let context):
            return "\(path(context.codingPath)) is not \(name(of: type))"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "it is not JSON" : "\(path(context.codingPath)) is invalid"
        @unknown default: return "it is invalid"
        }
    }

    /// The debug description of the error for an unknown member.
    static let unknownName = "unknown name"

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Int.Type: "an integer"
        case is [Int].Type, is [String].Type, is [Any].Type: "a list"
        default: "an object"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        if keys.isEmpty { return "the top level" }
        return keys.map { key in
            key.intValue.map(String.init) ?? TerminalSafeText.text(key.stringValue, upTo: 64)
        }
        .joined(separator: ".")
    }
}
