// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The records that an upgrade leaves weak or cannot read: how many of each kind, and where the first of them are.
struct UpgradeRemainder: Sendable {
    private struct Places {
        static let maximumListCount = 5

        var count = 0
        var first: [String] = []

        mutating func add(_ place: String) {
            count += 1
            if first.count < Self.maximumListCount { first.append(place) }
        }
    }

    private var notUpgraded: [String: Places] = [:]
    private var unreadable: [String: Places] = [:]

    /// Adds a record, if it is one of these.
    ///
    /// - Parameters:
    ///   - outcome: What became of it.
    ///   - place: The number of the record, or the identifier of the row.
    mutating func add(_ outcome: HashUpgrader.Outcome, _ place: String) {
        switch outcome {
        case .layered, .removed, .kept: break
        case .rehash(let remark, _): notUpgraded[remark.kind, default: Places()].add(place)
        case .problem(let remark): unreadable[remark.kind, default: Places()].add(place)
        }
    }

    /// Returns what to say of all of them; `nil` if there are none.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - place: What the places are: `record` or `id`.
    /// - Returns: The message.
    func message(_ name: String, place: String) -> String? {
        let parts = [
            Self.part(notUpgraded, "cannot be upgraded before the next login", place),
            Self.part(unreadable, "cannot be read", place),
        ].compactMap { $0 }
        return parts.isEmpty ? nil : "\(name): \(parts.joined(separator: "; "))"
    }

    private static func part(_ kinds: [String: Places], _ verb: String, _ place: String) -> String? {
        guard !kinds.isEmpty else { return nil }
        let sorted = kinds.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        let texts = sorted.map { kind, places in
            let rest = places.count > places.first.count ? " …" : ""
            let list = places.first.joined(separator: ", ") + rest
            return "\(kind) \(places.count) (\(place)\(places.count == 1 ? "" : "s") \(list))"
        }
        let count = kinds.values.reduce(0) { $0 + $1.count }
        return "\(count) \(count == 1 ? "record" : "records") \(verb): \(texts.joined(separator: ", "))"
    }
}
