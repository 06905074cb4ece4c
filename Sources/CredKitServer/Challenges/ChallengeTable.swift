// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The issued challenges that are not used yet, by the client that they were issued to. Times are durations since the
/// table was created.
struct ChallengeTable: Sendable {
    private struct Entry: Sendable {
        /// Differs for each entry, so that entries with the same text are different.
        let number: UInt64
        /// In UTF-8: strings with different bytes can be equal.
        let text: [UInt8]
        let expiry: Duration
    }

    private struct Ticket: Sendable {
        let client: StoreKey
        let number: UInt64
        let expiry: Duration
    }

    private let limit: Int
    /// The challenges of each client, oldest first.
    private var byClient: [StoreKey: [Entry]] = [:]
    /// All challenges, oldest first, including some that were used since.
    private var order: [Ticket] = []
    private var first = 0
    private var lastNumber: UInt64 = 0
    private(set) var count = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// The number of entries in the issue order, including those of used challenges; bounded too.
    var ticketCount: Int { order.count }

    /// Remembers a challenge. The lifetime must be clamped.
    mutating func remember(
        _ text: String,
        of client: StoreKey,
        lifetime: Duration,
        perClientLimit: Int,
        at now: Duration
    ) {
        forgetExpired(at: now)
        let own = byClient[client]?.count ?? 0
        if own > 0, own >= perClientLimit || count >= limit {
            remove(at: 0, of: client)
        } else if count >= limit {
            forgetOldest()
        }
        lastNumber += 1
        let expiry = now + lifetime
        byClient[client, default: []].append(
            Entry(number: lastNumber, text: Array(text.utf8), expiry: expiry)
        )
        count += 1
        order.append(Ticket(client: client, number: lastNumber, expiry: expiry))
        compact()
    }

    /// Returns the challenges of a client.
    func challenges(of client: StoreKey, at now: Duration) -> [String] {
        (byClient[client] ?? []).filter { now < $0.expiry }.map { String(decoding: $0.text, as: UTF8.self) }
    }

    /// Removes a used challenge. Returns whether there was one.
    mutating func consume(_ text: String, of client: StoreKey, at now: Duration) -> Bool {
        guard
            let entries = byClient[client],
            let index = entries.firstIndex(where: { $0.text.elementsEqual(text.utf8) })
        else { return false }
        remove(at: index, of: client)
        return now < entries[index].expiry
    }

    private mutating func remove(at index: Int, of client: StoreKey) {
        guard var entries = byClient[client], entries.indices.contains(index) else { return }
        entries.remove(at: index)
        byClient[client] = entries.isEmpty ? nil : entries
        count -= 1
    }

    private mutating func forgetExpired(at now: Duration) {
        while first < order.count, order[first].expiry <= now { forgetFirstTicket() }
    }

    /// Removes entries until an unused challenge has been removed.
    private mutating func forgetOldest() {
        let before = count
        while first < order.count, count == before { forgetFirstTicket() }
    }

    private mutating func forgetFirstTicket() {
        let ticket = order[first]
        first += 1
        if let index = byClient[ticket.client]?.firstIndex(where: { $0.number == ticket.number }) {
            remove(at: index, of: ticket.client)
        }
    }

    /// Drops the processed entries and those of used challenges, once they are more than half of the list.
    private mutating func compact() {
        guard order.count > 2 * limit + 64 else { return }
        let numbers = Set(byClient.values.joined().map(\.number))
        order = order[first...].filter { numbers.contains($0.number) }
        first = 0
    }
}
