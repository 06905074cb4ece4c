// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// MD5 of many files, sixteen at once.
package final class MD5Files: Sendable {
    /// The result for one file.
    package typealias Outcome = Result<MessageDigest<16>, FileError>

    /// The receiver of the digests. It is called from one thread at a time, but not always from the same thread.
    package protocol Receiver: Sendable {
        /// Receives the outcomes of the next files, in the order of the paths.
        ///
        /// - Parameter outcomes: At least one.
        /// - Returns: Whether to continue. After `false` nothing more is read.
        mutating func receive(_ outcomes: [Outcome]) -> Bool

        /// Is called with the number of bytes that were hashed, at least one. The outcomes of the files that these
        /// bytes complete follow.
        mutating func advance(by byteCount: Int)
    }

    /// The number of files that keep the lanes of one thread busy.
    private static let filesForOneThread = 2 * MD5Lanes.maximumCount

    /// With fewer descriptors than these, two threads could exhaust each other's.
    private static let descriptorsForTwoThreads: rlim_t = 256

    private let paths: ArraySlice<[UInt8]>
    /// The listing of the folder of very many paths. Until it is read, each file is looked at.
    private let listing = Lock<DirectoryListing?>(nil)
    /// Whether the listing was attempted, which happens once.
    private let isListed = Lock(false)

    /// Creates the files to hash.
    ///
    /// - Parameter paths: Their paths, without a NUL at the end.
    package init(_ paths: ArraySlice<[UInt8]>) { self.paths = paths }

    /// Hashes files up to the first that must not be read ahead, such as a pipe or a device. Opening one of them
    /// before all files before it have been read, or reading files behind it before it has ended, could block
    /// forever, or read data that is not there yet.
    ///
    /// Opening takes most of the time of small files, so two threads do it if there are many. At most 32 files are
    /// open at once.
    ///
    /// - Parameters:
    ///   - range: The range of paths to hash.
    ///   - receiver: Receives the outcomes. There are none if the first file must not be read ahead, or if it would
    ///     be alone, for which the function for one message is as fast.
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
        guard !wasListed, let made = DirectoryListing.read(for: paths) else { return }
        listing.withLock { $0 = made }
    }

    private static var canHaveTwoThreads: Bool {
        var limit = rlimit()
        return unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
            && limit.rlim_cur >= descriptorsForTwoThreads && Processors.available > 1
    }
}
