// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem

/// A sorted run of fingerprints that is read in parts.
struct FingerprintRun {
    private let file: Descriptor?
    private let operation: String
    /// What is still in the file, in fingerprints.
    private var rest: Range<Int>
    private var buffer: [UInt64]
    private var position: Int

    /// A run in a file.
    init(_ file: Descriptor, _ range: Range<Int>, bufferCount: Int, _ operation: String) {
        self.file = file
        self.operation = operation
        rest = range
        buffer = [UInt64](repeating: 0, count: min(bufferCount, range.count))
        position = buffer.count
    }

    /// A run in memory.
    init(_ values: [UInt64]) {
        file = nil
        operation = ""
        rest = 0..<0
        buffer = values
        position = 0
    }

    /// Returns the next fingerprint, or `nil` at the end.
    mutating func next() throws(SystemError) -> UInt64? {
        if position == buffer.count {
            guard let file, !rest.isEmpty else { return nil }
            if rest.count < buffer.count { buffer.removeLast(buffer.count - rest.count) }
            let (start, operation) = (rest.lowerBound, operation)
            let outcome = buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(SystemError) in try file.readAll(into: bytes, at: start * 8, operation) }
            }
            try outcome.get()
            rest = start + buffer.count..<rest.upperBound
            position = 0
        }
        position += 1
        return buffer[position - 1]
    }
}

/// Merges sorted runs: a heap of the next value of each.
struct FingerprintMerge {
    private var runs: [FingerprintRun]
    private var heap: [(value: UInt64, run: Int)] = []

    init(_ runs: [FingerprintRun]) throws(SystemError) {
        self.runs = runs
        for index in runs.indices {
            guard let value = try self.runs[index].next() else { continue }
            heap.append((value, index))
        }
        // Sorted is ordered as a heap is.
        heap.sort { $0.value < $1.value }
    }

    /// Returns the next fingerprint of all runs, or `nil` at the end.
    mutating func next() throws(SystemError) -> UInt64? {
        guard let first = heap.first else { return nil }
        if let value = try runs[first.run].next() {
            heap[0].value = value
        } else {
            let last = heap.removeLast()
            if heap.isEmpty { return first.value }
            heap[0] = last
        }
        sinkFirst()
        return first.value
    }

    private mutating func sinkFirst() {
        let moved = heap[0]
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].value < heap[child].value { child += 1 }
            guard heap[child].value < moved.value else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = moved
    }
}
