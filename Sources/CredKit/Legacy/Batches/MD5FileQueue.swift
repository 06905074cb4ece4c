// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The files that threads hash together. The queue hands them out in order, and delivers their outcomes in the same
/// order.
final class MD5FileQueue: Sendable {
    /// A file to hash.
    struct Item {
        let index: Int
        /// The result of looking at the file or its folder; never `unknown`.
        let look: RegularFile.Look
    }

    private struct Taking {
        /// The first file that is not yet claimed.
        var next: Int
        /// All files before this one may be opened.
        var openableEnd: Int
        /// Claimed files behind that one that have already been looked at.
        var lookedAt: [Range<Int>] = []
        /// The first file that must not be read ahead, as far as known; or the first that is no longer wanted.
        var end: Int
        var postponed: [Item] = []

        /// Records files that may be opened as soon as all files before them may.
        mutating func note(_ range: Range<Int>) {
            lookedAt.append(range)
            while let index = lookedAt.firstIndex(where: { $0.contains(openableEnd) }) {
                openableEnd = lookedAt.remove(at: index).upperBound
            }
            lookedAt.removeAll { $0.upperBound <= openableEnd }
        }
    }

    private struct Delivery {
        /// The known outcomes, starting with the first file that has not been delivered.
        var outcomes: [MD5Files.Outcome?] = []
        var next: Int
        var isStopped = false
    }

    /// Small enough that both threads have work to the end, large enough that they do not wait for each other.
    private static let filesAtOnce = 16

    private let paths: ArraySlice<[UInt8]>
    private let listing: Lock<DirectoryListing?>
    private let taking: Lock<Taking>
    private let delivery: Lock<Delivery>
    /// Calls the receiver: from one thread at a time, in the order in which threads hold the delivery lock.
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

    /// Whether no more files will be handed out.
    var isAtEnd: Bool { taking.withLock { $0.next >= $0.end } }

    /// The files that could not be opened because no file descriptor was free.
    var postponed: [Item] { taking.withLock { $0.postponed } }

    func path(of item: Item) -> [UInt8] { paths[item.index] }

    /// Takes the next files; returns none if there are no more.
    func take() -> [Item] {
        let claim = taking.withLock { taking in
            let start = min(taking.next, taking.end)
            taking.next = min(start + Self.filesAtOnce, taking.end)
            return start..<taking.next
        }
        var items = look(at: claim)
        // No file may be opened behind a pipe that another thread has not reached yet, so this thread looks for pipes
        // itself.
        while let unknown = taking.withLock({ taking -> Range<Int>? in
            let end = min(claim.upperBound, taking.end)
            return taking.openableEnd < end ? taking.openableEnd..<end : nil
        }) {
            _ = look(at: unknown)
        }
        let end = taking.withLock { $0.end }
        // They are in order.
        while let last = items.last, last.index >= end { items.removeLast() }
        return items
    }

    /// Looks at files up to the first that must not be read ahead.
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

    /// Postpones a file until all threads have finished.
    func postpone(_ item: Item) { taking.withLock { $0.postponed.append(item) } }

    /// Counts bytes that were hashed, and delivers outcomes as soon as all outcomes before them are known; returns
    /// whether to continue.
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
