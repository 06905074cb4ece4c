// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Hashes the files of a queue on one thread, each in a lane: where one has ended, the next begins.
struct MD5FileWorker: ~Copyable {
    private let queue: MD5FileQueue
    private var lanes = MD5Lanes()
    /// The file in each lane.
    private var files: [(item: MD5FileQueue.Item, file: RegularFile)] = []
    /// What was taken from the queue and is not open yet, the first one last.
    private var waiting: [MD5FileQueue.Item]
    private var finished: [(index: Int, outcome: MD5Files.Outcome)] = []

    /// Whether other threads may have files open that they will close.
    private let isAlone: Bool

    /// A step that hashes more than so many bytes takes so long that nobody should wait for one more.
    private static let longStepByteCount = 128 * 1024

    init(queue: MD5FileQueue, items: [MD5FileQueue.Item], isAlone: Bool) {
        self.queue = queue
        self.isAlone = isAlone
        waiting = items.reversed()
        files.reserveCapacity(MD5Lanes.maximumCount)
    }

    /// Works until the queue has no more files, or nobody wants more.
    mutating func run() {
        var goesOn = true
        while goesOn {
            openFiles()
            guard lanes.count > 0 else { break }
            let byteCount = lanes.hash()
            goesOn = queue.advance(by: byteCount)
            if goesOn { fillLanes() }
            if waiting.isEmpty || byteCount > Self.longStepByteCount { handOver() }
        }
        while lanes.count > 0 { remove(lanes.count - 1) }
        handOver()
    }

    /// Puts files into all lanes that are free, as far as there are any.
    private mutating func openFiles() {
        while lanes.count < MD5Lanes.maximumCount {
            if waiting.isEmpty {
                handOver()
                waiting = queue.take().reversed()
            }
            guard let item = waiting.popLast() else { return }
            do throws(FileError) {
                let file = try RegularFile(path: queue.path(of: item), byteCount: item.byteCount)
                files.append((item, file))
                fill(lanes.add())
            } catch {
                let isOutOfDescriptors = error.errorNumber == EMFILE || error.errorNumber == ENFILE
                if isOutOfDescriptors && lanes.count > 0 {
                    // When a file has been closed there is one.
                    waiting.append(item)
                    return
                } else if isOutOfDescriptors && !isAlone {
                    queue.postpone(item)
                } else {
                    finished.append((item.index, .failure(error)))
                }
            }
        }
    }

    /// Reads on in the lanes that have nothing left to hash, and gives those up whose files have ended.
    private mutating func fillLanes() {
        // Backwards, so that the lane that takes the place of one that is given up has had its turn.
        for lane in (0..<lanes.count).reversed() where lanes.isEmpty(lane) {
            if lanes.isDone(lane) {
                finished.append((files[lane].item.index, .success(lanes.digest(lane))))
                remove(lane)
            } else {
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

    private mutating func remove(_ lane: Int) {
        files[lane].file.close()
        files.swapAt(lane, files.count - 1)
        files.removeLast()
        lanes.remove(lane)
    }

    private mutating func handOver() {
        if !finished.isEmpty { queue.finish(finished) }
        finished.removeAll(keepingCapacity: true)
    }
}
