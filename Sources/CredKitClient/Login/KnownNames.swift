// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The members that a JSON object may have. A name that nobody knows is a slip of the pen, which would otherwise be a
/// setting without effect.
struct KnownNames: Sendable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let names: Set<String>
    private let inner: [String: Set<String>]

    /// The names, and those in the objects that some of them have.
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
