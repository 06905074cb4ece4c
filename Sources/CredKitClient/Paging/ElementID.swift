// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What tells an element of a list apart from others. Texts are compared as bytes: Unicode would take different IDs for
/// equal.
struct ElementID: Hashable, Sendable {
    private let value: any Hashable & Sendable

    init(_ value: some Hashable & Sendable) {
        if let text = value as? String { self.value = Array(text.utf8) } else { self.value = value }
    }

    static func == (left: Self, right: Self) -> Bool { AnyHashable(left.value) == AnyHashable(right.value) }

    func hash(into hasher: inout Hasher) { AnyHashable(value).hash(into: &hasher) }
}

/// The IDs of the latest elements, so that an endless list does not take endless memory.
struct RecentElementIDs: Sendable {
    /// The minimum number of IDs that are remembered once so many were seen; at most twice as many are.
    private let limit: Int
    private var recent: Set<ElementID> = []
    private var older: Set<ElementID> = []

    init(limit: Int = 100_000) { self.limit = limit }

    /// Remembers an ID, and returns whether it is new.
    mutating func insert(_ id: ElementID) -> Bool {
        guard !older.contains(id), recent.insert(id).inserted else { return false }
        if recent.count >= limit { (older, recent) = (recent, []) }
        return true
    }
}
