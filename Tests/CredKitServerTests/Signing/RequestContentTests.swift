// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import XCTest

/// That the content of a signed request is that of its digest.
final class RequestContentTests: XCTestCase {
    private typealias Outcome = SignedRequests.Outcome
    private let requests = SignedRequests()
    private let content = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    /// Pieces of content, which counts how many were read.
    private final class Pieces: AsyncSequence, AsyncIteratorProtocol {
        struct Broken: Error {}
        private var rest: ArraySlice<[UInt8]>
        private let failure: (any Error)?
        private(set) var readCount = 0

        init(_ pieces: [[UInt8]], failure: (any Error)? = nil) {
            rest = pieces[...]
            self.failure = failure
        }

        func makeAsyncIterator() -> Pieces { self }

        func next() async throws -> [UInt8]? {
            guard let piece = rest.popFirst() else {
                if let failure { throw failure }
                return nil
            }
            readCount += 1
            return piece
        }
    }

    private func verified(
        _ request: MessageSignature.Request,
        mayHaveContent: Bool = true
    ) async throws -> VerifiedRequest {
        let result = try await requests.verifier().verify(
            request,
            mayHaveContent: mayHaveContent,
            at: requests.now
        )
        guard case .verified(let verified) = result else {
            XCTFail("\(result)")
            throw LoginServerError.contentFailed
        }
        return verified
    }

    private func isRejected(_ body: VerifiedRequest.Body) -> Bool {
        guard case .rejected(let rejection) = body else { return false }
        return rejection.code == .wrongDigest && rejection.keyID == "k1"
    }

    func testContentInRandomPiecesIsVerified() async throws {
        let request = try await verified(try requests.signed(requests.request(content)))
        XCTAssertTrue(request.mayHaveContent)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var (rest, pieces) = (content[...], [[UInt8]]())
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 0...300, using: &generator))
                pieces.append(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            let body = try await request.verifiedBody(Pieces(pieces), limit: content.count)
            XCTAssertEqual(body, .verified(content))
            var check = request.bodyCheck()
            for piece in pieces { check.update(piece.span) }
            XCTAssertTrue(check.finish())
        }
    }

    func testChangedContentIsRejected() async throws {
        let request = try await verified(try requests.signed(requests.request(content)))
        var flipped = content
        flipped[500] ^= 1
        for other in [content + [0], Array(content.dropLast()), Array(content.dropFirst()), flipped, []] {
            let body = try await request.verifiedBody(Pieces([other]), limit: 2000)
            XCTAssertTrue(isRejected(body), "\(body)")
            var check = request.bodyCheck()
            check.update(other.span)
            XCTAssertFalse(check.finish())
        }
    }

    func testContentOverTheLimitIsNotRead() async throws {
        let request = try await verified(try requests.signed(requests.request(content)))
        let pieces = Pieces([[UInt8](content[..<600]), [UInt8](content[600...]), [1], [2]])
        let body = try await request.verifiedBody(pieces, limit: 999)
        XCTAssertEqual(body, .tooLarge)
        XCTAssertEqual(pieces.readCount, 2)
        for limit in [0, -1, Int.min] {
            let body = try await request.verifiedBody(Pieces([content]), limit: limit)
            XCTAssertEqual(body, .tooLarge)
        }
    }

    func testContentMustBeCovered() async throws {
        let uncovered = try requests.signed(requests.request(content), covering: SignedRequests.target)
        let outcome = try await requests.outcome(uncovered, mayHaveContent: true)
        XCTAssertEqual(outcome, .refused(.notCovered))
        let digestless = try await requests.outcome(try requests.signed(), mayHaveContent: true)
        XCTAssertEqual(digestless, .refused(.notCovered))
        let cases: [(String, String, Outcome)] = [
            ("Content-Length", "0", .verified), ("content-length", " 00\t", .verified),
            ("CONTENT-LENGTH", "1", .refused(.notCovered)), ("Content-Length", "", .refused(.notCovered)),
            ("Content-Length", "0, 5", .refused(.notCovered)),
            ("Content-Length", "-0", .refused(.notCovered)),
            ("Transfer-Encoding", "chunked", .refused(.notCovered)),
            ("transfer-encoding", "", .refused(.notCovered)),
        ]
        for (name, value, expected) in cases {
            var request = requests.request()
            request.fields = [.init(name, value)]
            let outcome = try await requests.outcome(try requests.signed(request))
            XCTAssertEqual(outcome, expected, "\(name): \(value)")
        }
        // The key of the digest that is covered is not the whole field.
        let key = try SignedRequests.Component("content-digest", parameters: ["key": .string("sha-256")])
        let partial = try requests.signed(requests.request(content), covering: SignedRequests.target + [key])
        let partially = try await requests.outcome(partial, mayHaveContent: true)
        XCTAssertEqual(partially, .refused(.notCovered))
    }

    func testContentThatMustNotBeThereIsRejected() async throws {
        for original in [requests.request(), requests.request([])] {
            let request = try await verified(try requests.signed(original), mayHaveContent: false)
            let none = try await request.verifiedBody(Pieces([[], []]), limit: 100)
            XCTAssertEqual(none, .verified([]))
            let pieces = Pieces([[], [1], [2]])
            let body = try await request.verifiedBody(pieces, limit: 100)
            XCTAssertTrue(isRejected(body), "\(body)")
            XCTAssertEqual(pieces.readCount, 2, "the rest need not be read")
        }
    }

    func testDigestOfContentThatIsNotThereIsRejected() async throws {
        let outcome = try await requests.outcome(try requests.signed(requests.request(content)))
        XCTAssertEqual(outcome, .rejected(.wrongDigest))
    }

    func testDigestThatCannotBeCheckedIsRejected() async throws {
        let sha256 = ContentDigest(of: content).fieldValue
        for value in ["md5=:AAAA:", "sha-256=abc", "sha-256=?1", "", "\(sha256),", "sha-256"] {
            var request = requests.request()
            request.fields = [.init("Content-Digest", value)]
            let outcome = try await requests.outcome(
                try requests.signed(request, covering: SignedRequests.all)
            )
            XCTAssertEqual(outcome, .rejected(.uncheckableDigest), value)
        }
        // All digests must match, also in a further line.
        let wrong = ContentDigest(of: [1], algorithm: .sha512).fieldValue
        for lines in [["\(sha256), \(wrong)"], [sha256, wrong]] {
            var request = requests.request()
            request.fields = lines.map { .init("Content-Digest", $0) }
            let verified = try await verified(try requests.signed(request))
            let body = try await verified.verifiedBody(Pieces([content]), limit: 2000)
            XCTAssertTrue(isRejected(body), "\(body)")
        }
    }

    func testFailureOfTheContentIsThrown() async throws {
        let request = try await verified(try requests.signed(requests.request(content)))
        for (failure, expected) in [
            (Pieces.Broken() as any Error, LoginServerError.contentFailed),
            (CancellationError(), .cancelled),
        ] {
            do {
                // All of the content has come, but not its end.
                let body = try await request.verifiedBody(Pieces([content], failure: failure), limit: 2000)
                XCTFail("\(body)")
            } catch {
                XCTAssertEqual(error, expected)
                XCTAssertEqual(error.underlying is Pieces.Broken, failure is Pieces.Broken)
            }
        }
    }
}
