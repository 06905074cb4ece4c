// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// Hashes the files of a queue on one thread, each in a lane: when one file ends, the next begins.
struct MD5FileWorker: ~Copyable {
    private let queue: MD5FileQueue
    private var lanes = MD5Lanes()
    /// The file in each lane.
    private var files: [(item: MD5FileQueue.Item, file: RegularFile)] = []
    /// The files that were taken from the queue and are not open yet, in reverse order.
    private var waiting: [MD5FileQueue.Item]
    private var finished: [(index: Int, outcome: MD5Files.Outcome)] = []

    /// Whether no other thread has open files that it will close.
    private let isAlone: Bool

    /// The number of bytes that were hashed since the last report to the queue.
    private var hashedByteCount = 0

    /// Whether to continue.
    private var goesOn = true

    /// The time of the last report to the queue.
    private var toldAt = ContinuousClock.now

    /// The number of bytes after which the worker reports to the queue.
    private static let byteCountToTell = 128 * 1024

    /// The time after which the worker reports finished files, in case reading the next file takes long.
    private static let timeToTell = Duration.milliseconds(50)

    init(queue: MD5FileQueue, items: [MD5FileQueue.Item], isAlone: Bool) {
        self.queue = queue
        self.isAlone = isAlone
        waiting = items.reversed()
        files.reserveCapacity(MD5Lanes.maximumCount)
    }

    /// Works until the queue has no more files, or the receiver stops.
    mutating func run() {
        while goesOn {
            let hasMore = openFiles()
            guard lanes.count > 0 else { break }
            if !hasMore && lanes.count == 1, let state = lanes.state(0) {
                finishAlone(state)
                break
            }
            hashedByteCount += lanes.hash()
            fillLanes()
            if hashedByteCount >= Self.byteCountToTell || !hasMore { tellQueue() }
        }
        while lanes.count > 0 { remove(lanes.count - 1) }
        tellQueue()
    }

    /// Fills all free lanes with files, as far as there are any; returns whether there may be more.
    private mutating func openFiles() -> Bool {
        while lanes.count < MD5Lanes.maximumCount {
            tellQueueInTime()
            if !goesOn { return false }
            if waiting.isEmpty { waiting = queue.take().reversed() }
            guard let item = waiting.popLast() else { return false }
            do throws(FileError) {
                let file = try RegularFile(path: queue.path(of: item), look: item.look)
                files.append((item, file))
                fill(lanes.add())
            } catch {
                let isOutOfDescriptors = error.errorNumber == EMFILE || error.errorNumber == ENFILE
                if isOutOfDescriptors && lanes.count > 0 {
                    // A descriptor becomes free when a file is closed.
                    waiting.append(item)
                    return true
                } else if isOutOfDescriptors && !isAlone {
                    queue.postpone(item)
                } else {
                    finished.append((item.index, .failure(error)))
                }
            }
        }
        return true
    }

    /// Reads more data into the lanes that have nothing left to hash, and removes those whose files have ended.
    private mutating func fillLanes() {
        // Backwards, so that the lane that replaces a removed one has already been handled.
        for lane in (0..<lanes.count).reversed() where lanes.isEmpty(lane) {
            if lanes.isDone(lane) {
                finished.append((files[lane].item.index, .success(lanes.digest(lane))))
                remove(lane)
            } else {
                tellQueueInTime()
                fill(lane)
            }
        }
    }

    private mutating func fill(_ lane: Int) {
        var file = files[lane].file
        do throws(FileError) {
            try unsafe lanes.fill(lane) { (buffer) throws(FileError) in try unsafe file.read(into: buffer) }
            files[lane].file = file
        } catch {
            finished.append((files[lane].item.index, .failure(error)))
            remove(lane)
        }
    }

    /// Hashes the rest of the file in the only lane with the function for one message, which is faster then.
    private mutating func finishAlone(_ start: MD5State) {
        var state = start
        let buffer = unsafe UnsafeMutableBufferPointer<UInt8>.allocateOnPage(byteCount: Self.byteCountToTell)
        defer { unsafe buffer.deallocate() }
        do throws(FileError) {
            while goesOn {
                tellQueueInTime()
                let count = try unsafe files[0].file.read(into: UnsafeMutableRawBufferPointer(buffer))
                state.update(unsafe buffer.extracting(..<count).span)
                hashedByteCount += count
                if count < buffer.count {
                    finished.append((files[0].item.index, .success(state.finalizeAndWipe())))
                    return
                }
                tellQueue()
            }
        } catch {
            finished.append((files[0].item.index, .failure(error)))
        }
    }

    private mutating func remove(_ lane: Int) {
        files[lane].file.close()
        files.swapAt(lane, files.count - 1)
        files.removeLast()
        lanes.remove(lane)
    }

    /// Reports finished files that have waited for some time, before a system call that may take long.
    private mutating func tellQueueInTime() {
        if !finished.isEmpty && ContinuousClock.now - toldAt > Self.timeToTell { tellQueue() }
    }

    /// Reports finished files to the queue.
    private mutating func tellQueue() {
        goesOn = queue.advance(by: hashedByteCount, finished: finished)
        hashedByteCount = 0
        finished.removeAll(keepingCapacity: true)
        toldAt = .now
    }
}
