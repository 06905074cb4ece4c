// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

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

    /// How many records of a kind, and of all kinds, are reported one by one: all of a large table would be no help.
    static let maximumLineCount = (ofKind: PasswordTableAudit.Rows.maximumListCount, ofAll: 60)

    private var notUpgraded: [String: Places] = [:]
    private var unreadable: [String: Places] = [:]
    private var lineCount = 0

    /// Adds a record, if it is one of these.
    ///
    /// - Parameters:
    ///   - outcome: What became of it.
    ///   - place: The number of the record, or the identifier of the row.
    ///   - line: What to report of it.
    /// - Returns: The line to report; `nil` if enough was reported.
    mutating func add(_ outcome: HashUpgrader.Outcome, _ place: String, _ line: String) -> String? {
        let kind: (name: String, count: Int)
        switch outcome {
        case .layered, .removed, .kept: return nil
        case .rehash(let remark, _):
            notUpgraded[remark.kind, default: Places()].add(place)
            kind = (remark.kind, notUpgraded[remark.kind]?.count ?? 0)
        case .problem(let remark):
            unreadable[remark.kind, default: Places()].add(place)
            kind = (remark.kind, unreadable[remark.kind]?.count ?? 0)
        }
        let limit = Self.maximumLineCount
        guard lineCount <= limit.ofAll, kind.count <= limit.ofKind + 1 else { return nil }
        lineCount += 1
        guard lineCount <= limit.ofAll else { return "further records are only counted" }
        return kind.count <= limit.ofKind ? line : "further records with '\(kind.name)' are only counted"
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
        guard !parts.isEmpty else { return nil }
        let advice = unreadable[UpgradeRemark.ambiguous] == nil ? "" : "; declare their scheme with --as"
        return "\(name): \(parts.joined(separator: "; "))\(advice)"
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
