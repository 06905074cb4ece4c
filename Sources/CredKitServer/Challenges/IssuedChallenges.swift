// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The issued challenges that are not used yet, by the source that they were issued to.
struct IssuedChallenges: Sendable {
    private struct Ticket: Sendable {
        let source: HashedKey
        let text: LoginChallenge
    }

    private let perClientLimit: Int
    private let limit: Int
    /// The challenges of each source, oldest first.
    private var bySource: [HashedKey: [LoginChallenge]] = [:]
    /// All challenges, oldest first, including some that were used since.
    private var order: [Ticket] = []
    private var first = 0
    private(set) var count = 0

    init(perClientLimit: Int, limit: Int) {
        self.perClientLimit = perClientLimit
        self.limit = limit
    }

    /// The number of entries in the issue order, including those of used challenges; bounded too.
    var ticketCount: Int { order.count }

    /// Remembers a challenge. A source at its limit loses its oldest challenge. When the table is full, the source
    /// loses its own oldest challenge; only if it has none, the oldest of all is removed.
    mutating func remember(_ text: LoginChallenge, for source: HashedKey, at now: Int64) {
        forgetExpired(at: now)
        let own = bySource[source]?.count ?? 0
        if own >= perClientLimit || (count >= limit && own > 0) {
            removeFirst(of: source)
        } else if count >= limit {
            forgetOldest()
        }
        bySource[source, default: []].append(text)
        count += 1
        order.append(Ticket(source: source, text: text))
        compact()
    }

    /// Returns the challenges of a source.
    func challenges(of source: HashedKey) -> [LoginChallenge] { bySource[source] ?? [] }

    /// Removes a used challenge.
    mutating func remove(_ text: LoginChallenge, of source: HashedKey) {
        guard let index = bySource[source]?.firstIndex(of: text) else { return }
        remove(at: index, of: source)
    }

    private mutating func removeFirst(of source: HashedKey) {
        remove(at: 0, of: source)
    }

    private mutating func remove(at index: Int, of source: HashedKey) {
        guard var challenges = bySource[source], challenges.indices.contains(index) else { return }
        challenges.remove(at: index)
        bySource[source] = challenges.isEmpty ? nil : challenges
        count -= 1
    }

    private mutating func forgetExpired(at now: Int64) {
        while first < order.count, !order[first].text.isValid(at: now) { forgetFirstTicket() }
    }

    /// Removes entries until an unused challenge has been removed.
    private mutating func forgetOldest() {
        let before = count
        while first < order.count, count == before { forgetFirstTicket() }
    }

    private mutating func forgetFirstTicket() {
        let ticket = order[first]
        first += 1
        remove(ticket.text, of: ticket.source)
    }

    /// Drops the processed entries and those of used challenges, once they are more than half of the list.
    private mutating func compact() {
        guard order.count > 2 * limit + 64 else { return }
        order = order[first...].filter { bySource[$0.source]?.contains($0.text) ?? false }
        first = 0
    }
}
