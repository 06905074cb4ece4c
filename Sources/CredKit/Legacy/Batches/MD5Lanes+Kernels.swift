// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// MD5 of up to sixteen streams at once, each in a lane of vector registers.
///
/// Each lane has its own buffer, which is refilled when all of it has been hashed: the memory used does not grow with
/// the streams. The lanes from 0 up to, but not including, ``count`` are in use.
@safe
package struct MD5Lanes: ~Copyable {
    /// The maximum number of lanes.
    package static let maximumCount = Int(CREDKIT_MD5_LANES)

    /// The size of a lane's buffer: all lanes together fit into the second-level cache, and the cost of system calls
    /// is negligible.
    package static let bufferByteCount = 32 * 1024

    private static let blockByteCount = 64

    /// The distance from one buffer to the next. The padding may add two blocks. If the distance were whole pages,
    /// the buffers would compete for the same sets of the first-level cache, because lanes are read in step.
    private static let stride = bufferByteCount + 2 * blockByteCount

    /// One word of all states.
    private typealias Row = (
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32
    )

    private struct Lane {
        /// The buffer of the lane.
        let buffer: Int
        /// The offset of the next block in the buffer, and the number of blocks from there on.
        var position = 0
        var blocks = 0
        /// The number of bytes of the stream so far.
        var byteCount: UInt64 = 0
        /// Whether the buffer contains the end of the stream, with the padding.
        var isEnding = false
    }

    /// The number of lanes in use.
    package private(set) var count = 0

    // Not an InlineArray, which would be copied whole for each access to an element.
    private var lanes = (0..<MD5Lanes.maximumCount).map { Lane(buffer: $0) }
    private let states: UnsafeMutablePointer<UInt32>
    private let buffers: UnsafeMutablePointer<UInt8>

    package init() {
        precondition(Self.maximumCount == 16, "A row has as many words as there are lanes.")
        let states = UnsafeMutableRawPointer.allocate(byteCount: 4 * 16 * 4, alignment: 64)
        unsafe self.states = states.initializeMemory(as: UInt32.self, repeating: 0, count: 4 * 16)
        let byteCount = Self.maximumCount * Self.stride
        let buffers = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        unsafe self.buffers = buffers.bindMemory(to: UInt8.self, capacity: byteCount)
    }

    deinit {
        unsafe states.deallocate()
        unsafe buffers.deallocate()
    }

    /// Adds a lane for a new stream. There must be a free one.
    ///
    /// - Returns: The number of the lane.
    package mutating func add() -> Int {
        precondition(count < Self.maximumCount, "All lanes are in use.")
        let lane = count
        lanes[lane] = Lane(buffer: lanes[lane].buffer)
        let start = unsafe credkit_md5_start()
        for word in 0..<4 { unsafe states[Self.maximumCount * word + lane] = start[word] }
        count += 1
        return lane
    }

    /// Returns whether all data of a lane's buffer has been hashed.
    package func isEmpty(_ lane: Int) -> Bool { lanes[lane].blocks == 0 }

    /// Returns whether the stream of a lane has been hashed to its end.
    package func isDone(_ lane: Int) -> Bool { lanes[lane].blocks == 0 && lanes[lane].isEnding }

    /// Fills the buffer of a lane that is empty and not done.
    ///
    /// - Parameters:
    ///   - lane: The number of the lane.
    ///   - body: Writes the next bytes of the stream into the buffer, and returns their number. Fewer bytes than the
    ///     buffer's size end the stream.
    /// - Throws: The error that `body` threw; the lane can then only be removed.
    package mutating func fill<Failure: Error>(
        _ lane: Int,
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        precondition(lane < count && isEmpty(lane) && !isDone(lane), "The lane has no room.")
        let buffer = unsafe buffers + lanes[lane].buffer * Self.stride
        let room = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Self.bufferByteCount)
        let filled = try unsafe body(room)
        precondition(
            filled >= 0 && filled <= room.count,
            "The buffer was filled beyond its size."
        )
        lanes[lane].position = 0
        lanes[lane].blocks = filled / Self.blockByteCount
        lanes[lane].byteCount += UInt64(filled)
        if filled < room.count {
            let used = filled % Self.blockByteCount
            lanes[lane].blocks += unsafe credkit_md5_pad(buffer + filled - used, used, lanes[lane].byteCount)
            lanes[lane].isEnding = true
        }
    }

    /// Hashes as many blocks as every lane has, so that at least one lane is empty afterwards. No lane may be empty
    /// before.
    ///
    /// - Returns: The number of bytes that were hashed, padding included.
    package mutating func hash() -> Int {
        guard count > 0 else { return 0 }
        var steps = lanes[0].blocks
        for lane in 1..<max(1, count) { steps = min(steps, lanes[lane].blocks) }
        unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: 16) { blocks in
            for lane in 0..<16 {
                let used = lane < count ? lane : 0
                let block = unsafe buffers + lanes[used].buffer * Self.stride + lanes[used].position
                unsafe blocks.initializeElement(at: lane, to: UnsafePointer(block))
            }
            unsafe UnsafeMutableRawPointer(states).withMemoryRebound(to: Row.self, capacity: 4) { rows in
                unsafe credkit_kernels_get().pointee.md5_blocks(rows, blocks.baseAddress, count, steps)
            }
        }
        for lane in 0..<count {
            lanes[lane].position += steps * Self.blockByteCount
            lanes[lane].blocks -= steps
        }
        return count * steps * Self.blockByteCount
    }

    /// Returns the digest of the stream of a lane that is done.
    package func digest(_ lane: Int) -> MessageDigest<16> {
        precondition(isDone(lane), "The stream has not ended.")
        return MessageDigest { digest in
            unsafe digest.withUnsafeMutableBytes { digest in
                for index in 0..<4 {
                    let word = unsafe states[Self.maximumCount * index + lane].littleEndian
                    unsafe digest.storeBytes(of: word, toByteOffset: 4 * index, as: UInt32.self)
                }
            }
        }
    }

    /// Returns the state of a lane's stream after all data of its buffer, to continue elsewhere; `nil` if the buffer
    /// contains the end of the stream.
    func state(_ lane: Int) -> MD5State? {
        precondition(lane < count, "The lane is not in use.")
        guard !lanes[lane].isEnding else { return nil }
        let rest = lanes[lane].blocks * Self.blockByteCount
        let rows = (0..<4).map { unsafe states[Self.maximumCount * $0 + lane] }
        var state = MD5State(
            words: (rows[0], rows[1], rows[2], rows[3]),
            byteCount: lanes[lane].byteCount - UInt64(rest)
        )
        let start = unsafe buffers + lanes[lane].buffer * Self.stride + lanes[lane].position
        state.update(unsafe UnsafeBufferPointer(start: start, count: rest).span)
        return state
    }

    /// Removes a lane. The last lane takes its place and number.
    package mutating func remove(_ lane: Int) {
        precondition(lane < count, "The lane is not in use.")
        count -= 1
        lanes.swapAt(lane, count)
        for word in 0..<4 {
            unsafe states[Self.maximumCount * word + lane] = states[Self.maximumCount * word + count]
        }
    }
}
