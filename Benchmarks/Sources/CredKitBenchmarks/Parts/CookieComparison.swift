// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import Foundation

/// Compares finding a request's cookies among 10,000 stored ones, of 1000 hosts, with Python's http.cookiejar.
enum CookieComparison {
    private static let hosts = 1000
    private static let cookiesPerHost = 10
    private static let requests = 100
    private static let now = UnixTime(1_800_000_000)

    static func make() throws -> Comparison {
        var jar = CookieJar(limits: .init(cookies: hosts * cookiesPerHost))
        let values = (0..<cookiesPerHost).map { "n\($0)=0123456789abcdef" }
        for host in 0..<hosts {
            let url = try HTTPURL("https://www.s\(host).example/login")
            jar.store(values.map { "\($0); Secure; HttpOnly; Max-Age=86400" }, from: url, at: now)
        }
        let urls = try (0..<requests).map { try HTTPURL("https://www.s\($0 * 7).example/data/list") }
        guard jar.count == hosts * cookiesPerHost,
            urls.allSatisfy({ jar.header(for: $0, at: now) == values.joined(separator: "; ") })
        else { throw Failure(description: "the jar does not send what it should") }

        let ours = "CookieJar"
        let theirs = "python3 http.cookiejar"
        return Comparison(
            id: "cookies",
            title: "The cookies of \(requests) requests among \(hosts * cookiesPerHost) stored, "
                + "\(cookiesPerHost) of them sent with each",
            contenders: [
                Contender(name: ours) {
                    // Repeated so often that the clock's resolution does not matter.
                    let repeats = 100
                    var bytes = 0
                    let time = ContinuousClock().measure {
                        for _ in 0..<repeats {
                            for url in urls { bytes += jar.header(for: url, at: now)?.utf8.count ?? 0 }
                        }
                    }
                    guard bytes > 0 else { throw Failure(description: "the jar sends nothing") }
                    return Sample(seconds: time / .seconds(1) / Double(repeats))
                },
                Contender(name: theirs) { try python() },
            ],
            claims: [.speed("cookies", ours, theirs, atLeast: 100)],
            // The two differ by a factor of thousands.
            rounds: 3
        )
    }

    private static func python() throws -> Sample {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", script, "\(hosts)", "\(cookiesPerHost)", "\(requests)", "\(now)",
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0,
            let seconds = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw Failure(description: "python3 with http.cookiejar did not run") }
        return Sample(seconds: seconds)
    }

    /// The same cookies and requests in Python. Each header is checked, and the requests are created before the timing
    /// starts.
    private static let script = """
        import http.cookiejar, sys, time, urllib.request
        hosts, per_host, requests, now = map(int, sys.argv[1:])
        jar = http.cookiejar.CookieJar()
        value = "0123456789abcdef"
        for host in range(hosts):
            for n in range(per_host):
                jar.set_cookie(http.cookiejar.Cookie(0, f"n{n}", value, None, False, f"www.s{host}.example",
                    False, False, "/", False, True, int(time.time()) + 86400, False, None, None, {"HttpOnly": None}))
        made = [urllib.request.Request(f"https://www.s{n * 7}.example/data/list") for n in range(requests)]
        start = time.perf_counter()
        for request in made:
            jar.add_cookie_header(request)
        seconds = time.perf_counter() - start
        expected = "; ".join(f"n{n}={value}" for n in range(per_host))
        assert all(request.get_header("Cookie") == expected for request in made)
        print(seconds)
        """
}
