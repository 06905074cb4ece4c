// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What is wrong with a JSON text, told by where it is: never by what stands there, which may be secret.
enum JSONFault {
    static func describe(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is no JSON" }
        switch error {
        case .keyNotFound(let key, let context):
            let member = path(context.codingPath + [key])
            if context.debugDescription == unknownName { return "there is no setting '\(member)'" }
            return "\(member) is missing"
        case .valueNotFound(_, let context): return "\(path(context.codingPath)) is null"
        case .typeMismatch(let type, let context):
            return "\(path(context.codingPath)) is no \(name(of: type))"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "it is no JSON" : "\(path(context.codingPath)) is not valid"
        @unknown default: return "it is not valid"
        }
    }

    /// How an error says that a member is there that has no meaning.
    static let unknownName = "unknown name"

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Int.Type: "whole number"
        case is [Int].Type, is [String].Type, is [Any].Type: "list"
        default: "object"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        if keys.isEmpty { return "the whole" }
        return keys.map { key in key.intValue.map(String.init) ?? text(key.stringValue) }
            .joined(separator: ".")
    }

    /// A name as it can be shown on a line of a terminal.
    private static func text(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.prefix(64).filter { $0.value > 31 && $0.value != 127 }
            )
        )
    }
}
