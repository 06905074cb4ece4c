// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The files that threads hash together: hands them out in order, and their outcomes on in the same order.
final class MD5FileQueue: Sendable {
    /// A file to hash.
    struct Item {
        let index: Int
        /// What was seen of it, or of its folder; never that it is unknown.
        let look: RegularFile.Look
    }

    private struct Taking {
        /// The first file that nobody has claimed.
        var next: Int
        /// All files in front of this one may be opened.
        var openableEnd: Int
        /// Claimed files behind that one that have been looked at already.
        var lookedAt: [Range<Int>] = []
        /// The first file that is not to be read ahead, as far as is known; or one that nobody wants any more.
        var end: Int
        var postponed: [Item] = []

        /// Notes that some files may be opened as soon as all in front of them may.
        mutating func note(_ range: Range<Int>) {
            lookedAt.append(range)
            while let index = lookedAt.firstIndex(where: { $0.contains(openableEnd) }) {
                openableEnd = lookedAt.remove(at: index).upperBound
            }
            lookedAt.removeAll { $0.upperBound <= openableEnd }
        }
    }

    private struct Delivery {
        /// What is known of the files from the first that has not been delivered.
        var outcomes: [MD5Files.Outcome?] = []
        var next: Int
        var isStopped = false
    }

    /// Few enough that both threads have work to the end, enough that they do not wait for each other.
    private static let filesAtOnce = 16

    private let paths: ArraySlice<[UInt8]>
    private let listing: Lock<DirectoryListing?>
    private let taking: Lock<Taking>
    private let delivery: Lock<Delivery>
    /// What the receiver is called by: one thread at a time, in the order in which it has the delivery.
    private let receive: @Sendable ([MD5Files.Outcome]) -> Bool
    private let advanceReceiver: @Sendable (Int) -> Void

    init<R: MD5Files.Receiver>(
        paths: ArraySlice<[UInt8]>,
        listing: Lock<DirectoryListing?>,
        receiver: Lock<R>
    ) {
        self.paths = paths
        self.listing = listing
        receive = { outcomes in receiver.withLock { $0.receive(outcomes) } }
        advanceReceiver = { byteCount in receiver.withLock { $0.advance(by: byteCount) } }
        let start = paths.startIndex
        taking = Lock(Taking(next: start, openableEnd: start, end: paths.endIndex))
        delivery = Lock(Delivery(next: paths.startIndex))
    }

    /// Whether no more will be handed out.
    var isAtEnd: Bool { taking.withLock { $0.next >= $0.end } }

    /// The files that there was no descriptor for.
    var postponed: [Item] { taking.withLock { $0.postponed } }

    func path(of item: Item) -> [UInt8] { paths[item.index] }

    /// Takes the next files. None if there are no more.
    func take() -> [Item] {
        let claim = taking.withLock { taking in
            let start = min(taking.next, taking.end)
            taking.next = min(start + Self.filesAtOnce, taking.end)
            return start..<taking.next
        }
        var items = look(at: claim)
        // Nothing may be opened behind a pipe that another thread has not come to yet: look for it ourselves.
        while let unknown = taking.withLock({ taking -> Range<Int>? in
            let end = min(claim.upperBound, taking.end)
            return taking.openableEnd < end ? taking.openableEnd..<end : nil
        }) {
            _ = look(at: unknown)
        }
        let end = taking.withLock { $0.end }
        items.removeAll { $0.index >= end }
        return items
    }

    /// Looks at files until one is not to be read ahead.
    private func look(at range: Range<Int>) -> [Item] {
        let listing = listing.withLock { $0 }
        var items: [Item] = []
        items.reserveCapacity(range.count)
        for index in range {
            if let listing, listing.contains(paths[index]) {
                items.append(Item(index: index, look: .listed(listing)))
                continue
            }
            let look = RegularFile.look(at: paths[index])
            if case .unknown = look { break }
            items.append(Item(index: index, look: look))
        }
        taking.withLock { taking in
            let end = range.lowerBound + items.count
            taking.note(range.lowerBound..<end)
            if end < range.upperBound { taking.end = min(taking.end, end) }
        }
        return items
    }

    /// Puts a file off until all threads have ended.
    func postpone(_ item: Item) { taking.withLock { $0.postponed.append(item) } }

    /// Counts bytes that were hashed, and hands outcomes on as soon as all in front of them are there; returns whether to go
    /// on.
    func advance(by byteCount: Int, finished: [(index: Int, outcome: MD5Files.Outcome)]) -> Bool {
        let goesOn = delivery.withLock { delivery in
            guard !delivery.isStopped else { return false }
            if byteCount > 0 { advanceReceiver(byteCount) }
            for (index, outcome) in finished {
                let place = index - delivery.next
                let missing = place + 1 - delivery.outcomes.count
                if missing > 0 { delivery.outcomes.append(contentsOf: repeatElement(nil, count: missing)) }
                delivery.outcomes[place] = outcome
            }
            let ready = delivery.outcomes.prefix { $0 != nil }.compactMap { $0 }
            guard !ready.isEmpty else { return true }
            delivery.outcomes.removeFirst(ready.count)
            delivery.next += ready.count
            delivery.isStopped = !receive(ready)
            return !delivery.isStopped
        }
        if !goesOn {
            taking.withLock { taking in
                taking.end = paths.startIndex
                taking.postponed = []
            }
        }
        return goesOn
    }
}
