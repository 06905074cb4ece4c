// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The files that threads hash together: hands them out in order, and their outcomes on in the same order.
final class MD5FileQueue: Sendable {
    /// A file to hash.
    struct Item {
        let index: Int
        /// The size that the file had when it was looked at.
        let byteCount: Int
    }

    private struct Taking {
        var next: Int
        /// Whether the next one is not to be read ahead, or nobody wants more.
        var isAtEnd = false
        var postponed: [Item] = []
    }

    private struct Delivery {
        var receiver: any MD5Files.Receiver
        /// What is known of the files from the first that has not been delivered.
        var outcomes: [MD5Files.Outcome?] = []
        var next: Int
        var isStopped = false
    }

    private let paths: ArraySlice<[UInt8]>
    private let taking: Lock<Taking>
    private let delivery: Lock<Delivery>

    init(paths: ArraySlice<[UInt8]>, receiver: any MD5Files.Receiver) {
        self.paths = paths
        taking = Lock(Taking(next: paths.startIndex))
        delivery = Lock(Delivery(receiver: receiver, next: paths.startIndex))
    }

    var receiver: any MD5Files.Receiver { delivery.withLock { $0.receiver } }

    /// How many files were handed out.
    var takenCount: Int { taking.withLock { $0.next } - paths.startIndex }

    /// Whether no more will be handed out.
    var isAtEnd: Bool { taking.withLock { $0.isAtEnd } }

    /// The files that there was no descriptor for.
    var postponed: [Item] { taking.withLock { $0.postponed } }

    func path(of item: Item) -> [UInt8] { paths[item.index] }

    /// Takes the next files: some small ones, or one that is large. None if there are no more.
    ///
    /// They are looked at while no other thread takes any, so that nothing is opened that stands behind a pipe.
    func take() -> [Item] {
        let mostBytes = 32 * MD5Lanes.bufferByteCount
        return taking.withLock { taking in
            var items: [Item] = []
            var byteCount = 0
            while items.count < 32 && byteCount < mostBytes && !taking.isAtEnd {
                guard taking.next < paths.endIndex,
                    let size = RegularFile.byteCount(of: paths[taking.next])
                else {
                    taking.isAtEnd = true
                    break
                }
                items.append(Item(index: taking.next, byteCount: size))
                byteCount += min(size, mostBytes)
                taking.next += 1
            }
            return items
        }
    }

    /// Puts a file off until all threads have ended.
    func postpone(_ item: Item) { taking.withLock { $0.postponed.append(item) } }

    /// Hands outcomes on as soon as all in front of them are there.
    func finish(_ finished: [(index: Int, outcome: MD5Files.Outcome)]) {
        let goesOn = delivery.withLock { delivery in
            guard !delivery.isStopped else { return false }
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
            delivery.isStopped = !delivery.receiver.receive(ready)
            return !delivery.isStopped
        }
        if !goesOn {
            taking.withLock { taking in
                taking.isAtEnd = true
                taking.postponed = []
            }
        }
    }

    /// Counts bytes that were hashed; returns whether to go on.
    func advance(by byteCount: Int) -> Bool {
        delivery.withLock { delivery in
            delivery.receiver.advance(by: byteCount)
            return !delivery.isStopped
        }
    }
}
