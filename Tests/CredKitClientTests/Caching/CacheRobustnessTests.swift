// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Feeds the rules with fields and times that no server should send.
final class CacheRobustnessTests: XCTestCase {
    private let rules = CacheRules(servesStaleOffline: true, digest: { $0 })
    private let pieces = [
        "max-age", "=", "60", "\"", "\\", ",", " ", "\t", "no-cache", "no-store", "stale-if-error", "*", "W/",
        "stale-while-revalidate", "99999999999999999999", "-", "bytes=", "vary", "é",
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "immutable", "must-revalidate", "cache-control",
    ]

    func testGeneratedFieldsAreNoTrapAndNeverFreshBeforeTheirTime() throws {
        var random = SystemRandomNumberGenerator()
        let names: [HTTPField.Name] = [
            .cacheControl, .vary, .age, .expires, .date, .lastModified, .eTag, .connection, .contentLength,
            .contentRange, .range, .ifRange, .location,
        ]
        let url = try HTTPURL("https://school.example/a?b")
        for _ in 0..<20_000 {
            func fields() -> HTTPFields {
                var fields = HTTPFields()
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    let text = (0..<Int.random(in: 0...8, using: &random))
                        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
                    fields.append(HTTPField(name: names.randomElement(using: &random) ?? .age, value: text))
                }
                return fields
            }
            func time() -> UnixTime {
                UnixTime([Int64.min, -1, 0, 1_000_000_000, .max].randomElement(using: &random) ?? 0)
            }
            let request = CacheRequest(method: .get, url: url, headers: fields())
            let (sent, answered) = (time(), time())
            let times = ExchangeTimes(request: sent, response: answered)
            let head = HTTPResponse(
                status: .init(code: [200, 206, 304, 404, 503].randomElement(using: &random) ?? 200),
                headerFields: fields()
            )
            let first = rules.receive(head, to: request, sent: CacheSending(), stored: [], times: times)
            guard let entry = first.storing else { continue }
            let later = time()
            let again = CacheRequest(method: .get, url: url, headers: fields())
            let decision = rules.decide(again, stored: [entry], at: later)
            if case .use(let answer, _) = decision {
                XCTAssertTrue(sent <= answered && answered <= later, "\(head) \(again)")
                XCTAssertTrue(answer.body.lowerBound >= 0)
            }
            if case .send(let sending) = decision {
                _ = rules.fallback(after: .unreachable, of: sending, to: again, at: time())
                _ = rules.receive(
                    HTTPResponse(status: .notModified, headerFields: fields()),
                    to: again,
                    sent: sending,
                    stored: [entry],
                    times: times
                )
            }
        }
    }

    /// A field of 64 KiB takes no more than linear time; quadratic time would be minutes.
    func testQuotesWithoutAnEndTakeLinearTime() {
        let text = "\"" + String(repeating: "\\\"", count: 1 << 15)
        XCTAssertTrue(FieldList([text]).hasOpenQuote)
        XCTAssertEqual(FieldList([String(repeating: "a,", count: 1 << 15)]).elements.count, 1 << 15)
        XCTAssertNil(VariantKey.names(in: [.vary: (0...999).map { "a\($0)" }.joined(separator: ",")]))
    }
}
