// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// MD5 of many files, sixteen at once.
package final class MD5Files: Sendable {
    /// What became of one file.
    package typealias Outcome = Result<MessageDigest<16>, FileError>

    /// Who gets the digests. It is called by one thread at a time, but not always by the same.
    package protocol Receiver: Sendable {
        /// Takes the outcomes of the next files, in the order of the paths.
        ///
        /// - Parameter outcomes: At least one.
        /// - Returns: Whether to go on. After a no nothing more is read.
        mutating func receive(_ outcomes: [Outcome]) -> Bool

        /// Is told of bytes that were hashed: at least one. What they end comes after them.
        mutating func advance(by byteCount: Int)
    }

    /// So many files keep the lanes of one thread busy.
    private static let filesForOneThread = 2 * MD5Lanes.maximumCount

    /// With fewer descriptors than these, two threads could take them from each other.
    private static let descriptorsForTwoThreads: rlim_t = 256

    private let paths: ArraySlice<[UInt8]>
    /// What the folder of very many paths says of them. Until it has been asked, each is looked at.
    private let listing = Lock<DirectoryListing?>(nil)
    /// Whether the folder has been asked, which is done once.
    private let isListed = Lock(false)

    /// Files to hash.
    ///
    /// - Parameter paths: Their paths, without a NUL at their ends.
    package init(_ paths: ArraySlice<[UInt8]>) { self.paths = paths }

    /// Hashes files up to the first that is not to be read ahead, which pipes and devices are not. To open one of them before
    /// all files in front of it have been read, or to read what stands behind one before that has ended, could keep
    /// waiting for ever, or read what is not there yet.
    ///
    /// Most of the time for small files goes into opening them, so two threads do it where there are many. At most 32
    /// files are open at once.
    ///
    /// - Parameters:
    ///   - range: Which of the paths.
    ///   - receiver: Gets the outcomes; none if the first file is not to be read ahead, or would be alone, which OpenSSL is
    ///     as fast for.
    package func hash<R: Receiver>(_ range: Range<Int>, to receiver: inout R) {
        let shared = Lock(receiver)
        defer { receiver = shared.withLock { $0 } }
        let queue = MD5FileQueue(paths: paths[range], listing: listing, receiver: shared)
        let first = queue.take()
        guard first.count > 1 else { return }
        let isAlone = range.count <= Self.filesForOneThread || queue.isAtEnd || !Self.canHaveTwoThreads
        if isAlone {
            list()
            var worker = MD5FileWorker(queue: queue, items: first, isAlone: true)
            worker.run()
        } else {
            JoinedThreads.run(2) { number in
                if number == 1 { self.list() }
                var worker = MD5FileWorker(queue: queue, items: number == 0 ? first : [], isAlone: false)
                worker.run()
            }
            let postponed = queue.postponed
            if !postponed.isEmpty {
                var worker = MD5FileWorker(queue: queue, items: postponed, isAlone: true)
                worker.run()
            }
        }
    }

    private func list() {
        let wasListed = isListed.withLock { isListed in
            defer { isListed = true }
            return isListed
        }
        guard !wasListed, let made = DirectoryListing(paths: paths) else { return }
        listing.withLock { $0 = made }
    }

    private static var canHaveTwoThreads: Bool {
        var limit = rlimit()
        return unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
            && limit.rlim_cur >= descriptorsForTwoThreads && Processors.available > 1
    }
}
