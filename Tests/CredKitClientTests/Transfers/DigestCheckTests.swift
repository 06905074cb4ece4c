// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitClient

final class DigestCheckTests: XCTestCase {
    private func digest(
        _ algorithm: ContentDigest.Algorithm,
        _ bytes: [UInt8],
        _ range: Range<Int64>
    ) -> DownloadDigest {
        let part = bytes[Int(range.lowerBound)..<Int(range.upperBound)]
        let value =
            switch algorithm {
            case .sha256: Array(SHA256.hash(data: part))
            case .sha512: Array(SHA512.hash(data: part))
            }
        return DownloadDigest(algorithm: algorithm, value: value, range: range)
    }

    private func isIntact(_ digests: [DownloadDigest], _ bytes: [UInt8]) -> Bool {
        var check = DigestCheck(digests)
        var position = Int(check.range.lowerBound)
        while position < check.range.upperBound {
            let end = min(Int(check.range.upperBound), position + Int.random(in: 1...100))
            check.update(Array(bytes[position..<end]), at: Int64(position))
            position = end
        }
        return check.isIntact
    }

    func testAnyRangesAreCheckedInOnePass() {
        XCTAssertTrue(isIntact([], []))
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...1000)).map { _ in UInt8.random(in: .min ... .max) }
            var digests = (0..<Int.random(in: 1...8)).map { _ in
                let ends = (0..<2).map { _ in Int64.random(in: 0...Int64(bytes.count)) }.sorted()
                return digest(Bool.random() ? .sha256 : .sha512, bytes, ends[0]..<ends[1])
            }
            // The same again, as several responses say it.
            digests += digests
            XCTAssertTrue(isIntact(digests, bytes))
            let index = Int.random(in: digests.indices)
            var value = digests[index].value
            value[Int.random(in: value.indices)] ^= 1
            let (algorithm, range) = (digests[index].algorithm, digests[index].range)
            digests[index] = DownloadDigest(algorithm: algorithm, value: value, range: range)
            XCTAssertFalse(isIntact(digests, bytes))
        }
    }
}
