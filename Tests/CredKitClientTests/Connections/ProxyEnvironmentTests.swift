// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

/// The proxy that the environment selects, compared with the curl command's choice.
final class ProxyEnvironmentTests: XCTestCase {
    private struct Case: Codable {
        let url: String
        let variables: [String: String]
    }

    /// The route that CredKit selects; the proxy is `http://127.0.0.1:1081` in all cases.
    private func answer(_ url: String, _ variables: [String: String]) -> String {
        let environment = ProxyEnvironment(environment: variables)
        do {
            guard let proxy = try environment.proxy(for: Origin(url)) else { return "direct" }
            return proxy.description == "http://127.0.0.1:1081" ? "proxy" : "another proxy"
        } catch {
            return "error"
        }
    }

    private func assertAsCurl(_ cases: [Case], line: UInt = #line) throws {
        let input = try JSONEncoder().encode(cases)
        let answers = try JSONDecoder().decode(
            [String].self,
            from: Program.succeed(["python3", "-c", Self.program], input: input).output
        )
        XCTAssertEqual(answers.count, cases.count, line: line)
        for (entry, expected) in zip(cases, answers) where expected != "skip" {
            XCTAssertEqual(answer(entry.url, entry.variables), expected, "\(entry)", line: line)
        }
    }

    func testVariablesAreChosenAsByCurl() throws {
        let proxy = "http://127.0.0.1:1081"
        let other = "http://127.0.0.1:1082"
        let variables: [[String: String]] = [
            [:], ["http_proxy": proxy], ["HTTP_PROXY": proxy], ["Http_Proxy": proxy], ["https_proxy": proxy],
            ["HTTPS_PROXY": proxy], ["https_proxy": "", "HTTPS_PROXY": proxy],
            ["https_proxy": other, "HTTPS_PROXY": proxy], ["https_proxy": proxy, "HTTPS_PROXY": other],
            ["ALL_PROXY": proxy], ["all_proxy": proxy], ["all_proxy": "", "ALL_PROXY": proxy],
            ["all_proxy": other, "ALL_PROXY": proxy], ["http_proxy": "", "all_proxy": proxy],
            ["http_proxy": other, "all_proxy": proxy], ["HTTP_PROXY": other, "all_proxy": proxy],
            ["https_proxy": other, "all_proxy": proxy], ["all_proxy": proxy, "NO_PROXY": "a.example"],
            ["all_proxy": proxy, "no_proxy": "b", "NO_PROXY": "a.example"],
            ["all_proxy": proxy, "no_proxy": "", "NO_PROXY": "a.example"],
            ["all_proxy": proxy, "no_proxy": "a.example", "NO_PROXY": "b"], ["all_proxy": "127.0.0.1:1081"],
            ["all_proxy": "HTTP://127.0.0.1:1081/x"], ["all_proxy": " \(proxy)"],
            ["all_proxy": "foo://127.0.0.1:1081"],
            ["all_proxy": "http://127.0.0.1:99999"], ["all_proxy": "http://u:a@b@127.0.0.1:1081"],
        ]
        try assertAsCurl(
            variables.flatMap { variables in
                ["http://a.example/", "https://a.example/"].map { Case(url: $0, variables: variables) }
            }
        )
    }

    func testNoProxyHostsMatchCurl() throws {
        let names = [
            "*", "*,x", "x,*", "* ", "a.example", "example", ".example", "..example", "A.EXAMPLE.", "xample",
            "b a.example",
            "b,a.example", "b,,a.example", "b, a.example", "b ,a.example", "b\ta.example", ".", " ", ",",
            "a.example:80",
            "*.example", ".a.example", "b.a.example", "example.", ".example.", "10.1.2.3",
        ].map { Case(url: "http://a.example/", variables: ["no_proxy": $0]) }
        let addresses = [
            "10.1.2.3", "10.0.0.0/8", "10.1.2.3.", "0.0.0.0/0", "10.1.2.3/0", "10.1.2.3/32", "10.1.2.3/33",
            "10.1.2.3/-1",
            "10.0.0.0/x", "10.0/8", ".2.3", "2.3", "3", "10.1.2.2/31", "10.1.2.4/31", "10.1.2.3,x",
            "10.0.0.0/9", "10.128.0.0/9",
            "b,10.0.0.0/8", "10.1.2.30", "*", "fd00::1",
        ].map { Case(url: "http://10.1.2.3/", variables: ["no_proxy": $0]) }
        let others = [
            ("http://A.example./", "a.example"), ("http://a10.example/", "10.0.0.0/8"),
            ("http://[fd00::1]/", "fd00::1"), ("http://[fd00::1]/", "fd00::2"),
            ("http://xa.example/", "a.example"),
            ("http://a.example:8080/", "a.example"), ("http://a.b.example/", "example"),
        ].map { Case(url: $0.0, variables: ["no_proxy": $0.1]) }
        try assertAsCurl(
            (names + addresses + others).map {
                Case(
                    url: $0.url,
                    variables: $0.variables.merging(["http_proxy": "http://127.0.0.1:1081"]) { old, _ in old }
                )
            }
        )
    }

    /// curl 7.88 compares the bits of IPv6 networks incorrectly; these are the results that its manual documents.
    func testIPv6NetworksMatchByPrefix() {
        for (list, expected) in [
            ("fd00::/8", "direct"), ("fd00::/16", "direct"), ("fd01::/16", "proxy"), ("fd80::/9", "proxy"),
            ("fc00::/7", "direct"),
            ("FD00:0::1", "direct"), ("[fd00::1]", "direct"), ("fd00::1/128", "direct"),
            ("fd00::1/129", "proxy"),
            ("fd00::1/0", "direct"), ("::/0", "proxy"), ("0.0.0.0/8", "proxy"),
            ("fd00::1/999999999999999999999", "proxy"),
        ] {
            let variables = ["http_proxy": "http://127.0.0.1:1081", "no_proxy": list]
            XCTAssertEqual(answer("http://[fd00::1]/", variables), expected, list)
        }
    }

    func testLoopbackHasNoProxy() {
        for scheme in ["http", "https"] {
            for host in ["localhost", "LOCALHOST.", "127.0.0.1", "127.9.8.7", "[::1]", "[0:0::1]"] {
                let all = ["all_proxy": "http://127.0.0.1:1081"]
                XCTAssertEqual(answer("\(scheme)://\(host):8080/", all), "direct", host)
                XCTAssertEqual(answer("\(scheme)://\(host)/", ["all_proxy": "foo://bar"]), "direct", host)
            }
            for host in ["a.localhost", "localhost.example", "128.0.0.1", "[::2]", "0.0.0.0"] {
                let all = ["all_proxy": "http://127.0.0.1:1081"]
                XCTAssertEqual(answer("\(scheme)://\(host)/", all), "proxy", host)
            }
        }
    }

    func testErrorsNameTheVariableAndNoPassword() throws {
        let variables = ["HTTPS_PROXY": "http://u:hunter2%0a@proxy.example"]
        let environment = ProxyEnvironment(environment: variables)
        XCTAssertThrowsError(try environment.proxy(for: Origin("https://a.example"))) { error in
            XCTAssertEqual(error as? ClientError, .invalidRequest)
            XCTAssertTrue("\(error)".contains("HTTPS_PROXY"), "\(error)")
            XCTAssertFalse("\(error)".contains("hunter2"), "\(error)")
        }
        XCTAssertNil(try environment.proxy(for: Origin("http://a.example")))
        let valid = ProxyEnvironment(environment: ["http_proxy": "http://u:hunter2@p"])
        var dumped = "\(valid)"
        dump(valid, to: &dumped)
        XCTAssertFalse(dumped.contains("hunter2"), dumped)
    }

    /// Prints which of three listeners curl connects to: the origin, the proxy, or another one.
    private static let program = """
        import json, os, re, select, socket, subprocess, sys
        def listener():
            s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(64); return s
        listeners = {"direct": listener(), "proxy": listener(), "another proxy": listener()}
        port = {name: s.getsockname()[1] for name, s in listeners.items()}
        version = tuple(map(int, re.search(r"curl (\\d+)\\.(\\d+)", subprocess.run(["curl", "--version"],
            capture_output=True, text=True).stdout).groups()))
        def ask(case):
            no = case["variables"].get("no_proxy", "")
            # curl supports networks since 7.86. Some versions read blanks and an IPv6 host differently.
            if ("/" in no and version < (7, 86)) or (re.search(r"[ \\t]", no) and version >= (8, 9)):
                return "skip"
            variables = {name: value.replace("1081", str(port["proxy"])).replace("1082", str(port["another proxy"]))
                for name, value in case["variables"].items()}
            # The pipe ends when curl exits.
            end, begin = os.pipe()
            curl = subprocess.Popen(["curl", "-q", "-s", "--connect-to", f"::127.0.0.1:{port['direct']}", case["url"]],
                env={"PATH": os.environ["PATH"], **variables}, pass_fds=[begin], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            os.close(begin)
            answer = "error"
            while True:
                ready, _, _ = select.select([*listeners.values(), end], [], [])
                for name, s in listeners.items():
                    if s in ready:
                        answer = name
                        s.accept()[0].close()
                if ready == [end]:
                    break
            os.close(end)
            curl.wait()
            return answer
        print(json.dumps([ask(case) for case in json.load(sys.stdin)]))
        """
}
