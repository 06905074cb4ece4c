// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKit

final class MD5LanesTests: XCTestCase {
    /// Hashes messages in lanes, each given to its lane in buffers, and a new one begun where another has ended.
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

    func testLanesGiveTheDigestsOfOneMessageAfterTheOther() {
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

    func testALaneWhoseStreamBreaksOffLeavesTheOthersAlone() throws {
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
