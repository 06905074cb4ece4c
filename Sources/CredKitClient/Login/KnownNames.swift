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

    func check(_ decoder: any Decoder) throws {
        let all = try decoder.container(keyedBy: Name.self)
        for key in all.allKeys {
            guard names.contains(key.stringValue) else { throw Self.refusal(key, in: all) }
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
