// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import CredKitTestSupport
@testable import CredKitServerCommand
import Foundation
import XCTest

/// The metrics, read by the Prometheus project's own parser for Python.
final class ServerMetricsTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        guard FileManager.default.isExecutableFile(atPath: TestScripts.python.path) else {
            throw XCTSkip("run script/python-environment first")
        }
        shell = try Shell(programs: ["credkit", "credkit-server"])
    }

    override func tearDown() { shell?.remove() }

    /// Returns the samples that the parser reads in a file, one on each line.
    private func parse(_ file: String, matching filter: String = ".") throws -> String {
        let outcome = try shell.run(
            """
            \(TestScripts.python.path) - <<'END' | grep -E '\(filter)'
            from prometheus_client.parser import text_string_to_metric_families
            for family in text_string_to_metric_families(open("\(file)", newline="").read()):
                print(family.type, repr(family.documentation))
                for sample in family.samples: print(sample.name, sorted(sample.labels.items()), sample.value)
            END
            """
        )
        XCTAssertEqual(outcome.errors, "")
        return outcome.text
    }

    func testTextIsReadByAnotherParser() throws {
        let registry = MetricRegistry()
        registry.declare("a_total", .counter, "A \\ and\na line \"quoted\".")
        registry.declare("b", .gauge, "B.")
        registry.declare("c_seconds", .histogram, "C.")
        let label = "\\n \" \n é {},="
        Counter(label: "a_total", dimensions: [("x", label), ("y", "")], factory: registry).increment(by: 3)
        Counter(label: "a_total", dimensions: [("x", label), ("y", "")], factory: registry).increment()
        let meter = Meter(label: "b", factory: registry)
        meter.set(1.5)
        meter.increment(by: 2)
        meter.decrement(by: 4)
        let timer = CoreMetrics.Timer(label: "c_seconds", dimensions: [], factory: registry)
        for milliseconds in [1, 5, 6, 250, 10_000, 10_001] as [Int64] {
            timer.recordNanoseconds(milliseconds * 1_000_000)
        }
        // What is not declared, or is of another kind, is not recorded.
        Counter(label: "unknown_total", factory: registry).increment()
        Meter(label: "a_total", factory: registry).set(9)
        try registry.text.write(
            to: shell.folder.appendingPathComponent("text"),
            atomically: true,
            encoding: .utf8
        )
        let buckets = [
            ("0.005", 2), ("0.01", 3), ("0.025", 3), ("0.05", 3), ("0.1", 3), ("0.25", 4), ("0.5", 4),
            ("1", 4), ("2.5", 4),
            ("5", 4), ("10", 5), ("+Inf", 6),
        ]
        XCTAssertEqual(
            try parse("text"),
            #"""
            counter 'A \\ and\na line "quoted".'
            a_total [('x', '\\n " \n é {},='), ('y', '')] 4
            gauge 'B.'
            b [] -0.5
            histogram 'C.'

            """# + buckets.map { "c_seconds_bucket [('le', '\($0)')] \($1)\n" }.joined()
                + "c_seconds_sum [] 20.262999999999998\nc_seconds_count [] 6\n"
        )
    }

    func testNumberOfSeriesIsBounded() {
        let registry = MetricRegistry()
        registry.declare("a_total", .counter, "A.")
        for number in 0..<2000 {
            Counter(label: "a_total", dimensions: [("x", "\(number)")], factory: registry).increment()
        }
        XCTAssertEqual(registry.text.split(separator: "\n").count, 2 + MetricFamily.seriesLimit)
    }

    func testNumbersAreThoseOfTheFormat() {
        for (value, text) in [
            (0.0, "0"), (-1, "-1"), (0.5, "0.5"), (1e300, "1e+300"), (.infinity, "+Inf"),
            (-.infinity, "-Inf"), (.nan, "NaN"),
        ] { XCTAssertEqual(PrometheusText.number(value), text) }
    }

    func testServerCountsLoginsAndRequests() throws {
        let isDeep = ProcessInfo.processInfo.environment["CREDKIT_DEEP"] != nil
        // Of 600 requests a minute, some are forgotten while 700 are sent.
        let count = isDeep ? 700 : 7
        let outcome = try shell.run(
            """
            printf 'alice:%s\\n' "$(printf 123456 | credkit hash legacy timestamp --key-phrase x --password-equivalent)" > users
            credkit-server --mechanism timestamp --mechanism form --key-phrase x --users users --listen 127.0.0.1:0 \\
                --metrics 127.0.0.1:0 --attempts 2 > address 2> errors & server=$!
            trap 'kill $server' EXIT
            for i in {1..600}; do [ -s address ] && grep -q metrics errors || sleep 0.1; done
            url=$(cut -d' ' -f3 address) metrics=$(sed -n 's/.*metrics at //p' errors)
            for password in 123456 wrong wrong wrong; do
                curl -s -o /dev/null -d "username=alice&password=$password" $url/login.php
            done
            # Paths that clients invent are one series.
            curl -s -o /dev/null "$url/none[1-20]"
            curl -s -o /dev/null $url/api/auth/session
            curl -s -o /dev/null "$url/hmackey.php?n=[1-\(count)]"
            curl -s -D head $metrics > text
            grep -i ^content-type head | tr -d '\\r'
            curl -s -o /dev/null -w '%{http_code} ' ${metrics%/metrics}/login.php
            curl -s -o /dev/null -w '%{http_code} ' -X POST $metrics
            """
        )
        XCTAssertEqual(
            outcome.text,
            "Content-Type: text/plain; version=0.0.4; charset=utf-8\n404 405 ",
            outcome.errors
        )
        XCTAssertEqual(
            try parse("text", matching: "^credkit_(logins.*form|rate.*login|users|http_requests_in)"),
            """
            credkit_http_requests_in_flight [] 0
            credkit_logins_total [('mechanism', 'form'), ('outcome', 'accepted')] 1
            credkit_logins_total [('mechanism', 'form'), ('outcome', 'code_required')] 0
            credkit_logins_total [('mechanism', 'form'), ('outcome', 'limited')] 1
            credkit_logins_total [('mechanism', 'form'), ('outcome', 'rejected')] 2
            credkit_logins_total [('mechanism', 'form'), ('outcome', 'replayed')] 0
            credkit_logins_total [('mechanism', 'form'), ('outcome', 'unavailable')] 0
            credkit_rate_limited_total [('limit', 'login')] 1
            credkit_users [] 1

            """
        )
        let counts = try parse("text", matching: "_count.*hmackey|rate.*request").split(separator: "\n")
            .map { Int($0.split(separator: " ").last ?? "") ?? 0 }
        // The answers of each status, and the number of refusals.
        XCTAssertEqual(counts.dropLast().reduce(0, +), count, "\(counts)")
        XCTAssertEqual(counts.count, isDeep ? 3 : 2)
        XCTAssertEqual(counts.last, isDeep ? counts[1] : 0)
        XCTAssertEqual(
            try parse(
                "text",
                matching: "^credkit_http_request_duration_seconds_count.*(login|session|other)"
            ),
            """
            credkit_http_request_duration_seconds_count [('code', '2xx'), ('endpoint', '/login.php')] 3
            credkit_http_request_duration_seconds_count [('code', '4xx'), ('endpoint', '/auth/session')] 1
            credkit_http_request_duration_seconds_count [('code', '4xx'), ('endpoint', '/login.php')] 1
            credkit_http_request_duration_seconds_count [('code', '4xx'), ('endpoint', 'other')] 20

            """
        )
    }

    func testMetricsAreServedOnThisMachineAlone() throws {
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "example.com:80"] {
            let outcome = try shell.run("credkit-server --key-phrase x --users none --metrics \(address)")
            XCTAssertEqual(outcome.status, 64, address)
            XCTAssertTrue(
                outcome.errors.contains("--metrics must be an address of this machine"),
                outcome.errors
            )
        }
    }
}
