// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKit

final class MD5LanesTests: XCTestCase {
    /// Hashes messages in lanes: each lane receives its message in buffers, and starts a new message when one ends.
    private func digests(of messages: [[UInt8]]) -> [MessageDigest<16>?] {
        var digests = [MessageDigest<16>?](repeating: nil, count: messages.count)
        var lanes = MD5Lanes()
        var next = 0
        var places: [(message: Int, position: Int)] = []
        while true {
            while lanes.count < MD5Lanes.maximumCount && next < messages.count {
                XCTAssertEqual(lanes.add(), places.count)
                places.append((next, 0))
                next += 1
            }
            guard lanes.count > 0 else { return digests }
            for lane in 0..<lanes.count where lanes.isEmpty(lane) {
                lanes.fill(lane) { buffer in
                    let rest = messages[places[lane].message].dropFirst(places[lane].position).prefix(
                        buffer.count
                    )
                    buffer.copyBytes(from: rest)
                    places[lane].position += rest.count
                    return rest.count
                }
            }
            XCTAssertGreaterThan(lanes.hash(), 0)
            for lane in (0..<lanes.count).reversed() where lanes.isDone(lane) {
                digests[places[lane].message] = lanes.digest(lane)
                places.swapAt(lane, places.count - 1)
                places.removeLast()
                lanes.remove(lane)
            }
        }
    }

    func testLanesMatchDigestsOfSingleMessages() {
        var random = SeededGenerator(seed: 6)
        let buffer = MD5Lanes.bufferByteCount
        var lengths = Array(0...130) + [buffer - 64, buffer - 9, buffer - 1, buffer, buffer + 1, buffer + 64]
        lengths += [2 * buffer - 1, 2 * buffer, 3 * buffer + 55, 3 * buffer + 56]
        for _ in 0..<60 { lengths.append(Int.random(in: 0...5000, using: &random)) }
        lengths.shuffle(using: &random)
        let messages = lengths.map { length in
            (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        XCTAssertEqual(digests(of: messages), messages.map { Legacy.MD5.hash(data: $0) })
        // Fewer messages than lanes.
        for count in 0...MD5Lanes.maximumCount {
            let few = Array(messages.prefix(count))
            XCTAssertEqual(digests(of: few), few.map { Legacy.MD5.hash(data: $0) }, "\(count)")
        }
    }

    func testLaneStateCanBeContinuedAtAnyBlock() throws {
        let buffer = MD5Lanes.bufferByteCount
        let message = (0..<(2 * buffer + 100)).map { UInt8(truncatingIfNeeded: $0 * 7 ^ $0 >> 8) }
        // The length of the shorter stream determines the position of the other in its second buffer.
        for shorter in [0, 100, 1000, buffer - 10, buffer - 1] {
            var lanes = MD5Lanes()
            for lane in 0...1 {
                XCTAssertEqual(lanes.add(), lane)
                lanes.fill(lane) {
                    $0.copyBytes(from: message[..<buffer]); return buffer
                }
            }
            _ = lanes.hash()
            lanes.fill(0) {
                $0.copyBytes(from: message[buffer..<(2 * buffer)]); return buffer
            }
            lanes.fill(1) {
                $0.copyBytes(from: message[buffer..<(buffer + shorter)]); return shorter
            }
            XCTAssertNil(lanes.state(1), "the padding should already be in the buffer")
            _ = lanes.hash()
            // The padding may have made the shorter stream the longer one.
            if !lanes.isEmpty(0) {
                XCTAssertTrue(lanes.isDone(1))
                XCTAssertEqual(lanes.digest(1), Legacy.MD5.hash(data: message[..<(buffer + shorter)]))
            }
            var state = try XCTUnwrap(lanes.state(0))
            state.update(Array(message[(2 * buffer)...]).span)
            XCTAssertEqual(state.finalize(), Legacy.MD5.hash(data: message), "\(shorter)")
        }
        // Beyond 2^32 bits the bit count has a nonzero high word.
        let state = MD5State(words: (1, 2, 3, 4), byteCount: 0x1_2345_6789 * 64)
        XCTAssertEqual(state.finalize().hex, "ba0c7a5dba0c05d6d33a36b7dbdec1cd")
    }

    func testAbortedLaneDoesNotAffectOthers() throws {
        struct Broken: Error {}
        var lanes = MD5Lanes()
        for _ in 0..<3 { _ = lanes.add() }
        for lane in [0, 2] {
            lanes.fill(lane) { buffer in
                buffer.copyBytes(from: [UInt8(lane)])
                return 1
            }
        }
        XCTAssertThrowsError(
            try lanes.fill(1) { (_: UnsafeMutableRawBufferPointer) throws(Broken) -> Int in throw Broken() }
        )
        lanes.remove(1)
        XCTAssertEqual(lanes.count, 2)
        _ = lanes.hash()
        XCTAssertEqual(lanes.digest(0), Legacy.MD5.hash(data: [0]))
        XCTAssertEqual(lanes.digest(1), Legacy.MD5.hash(data: [2]))
    }
}
