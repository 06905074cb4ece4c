// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The allowed members of a JSON object. An unknown name is rejected, because a misspelled setting would have
/// no effect.
struct KnownNames: Sendable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let names: Set<String>
    private let inner: [String: Set<String>]

    /// Creates a set of names, with the allowed names in nested objects.
    init(_ names: Set<String>, inner: [String: Set<String>] = [:]) {
        self.names = names
        self.inner = inner
    }

    /// Rejects all names but these and `others`.
    func check(_ decoder: any Decoder, with others: Set<String> = []) throws {
        let all = try decoder.container(keyedBy: Name.self)
        for key in all.allKeys {
            guard names.contains(key.stringValue) || others.contains(key.stringValue) else {
                throw Self.refusal(key, in: all)
            }
            guard let known = inner[key.stringValue], try !all.decodeNil(forKey: key) else { continue }
            let object = try all.nestedContainer(keyedBy: Name.self, forKey: key)
            if let unknown = object.allKeys.first(where: { !known.contains($0.stringValue) }) {
                throw Self.refusal(unknown, in: object)
            }
        }
    }

    private static func refusal(_ key: Name, in object: KeyedDecodingContainer<Name>) -> DecodingError {
        .keyNotFound(
            key,
            .init(codingPath: object.codingPath, debugDescription: JSONFault.unknownName)
        )
    }
}

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
