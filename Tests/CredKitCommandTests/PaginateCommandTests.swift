// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit request --paginate`, against a server that does not use CredKit.
final class PaginateCommandTests: ShellTestCase {
    private var server: LoginServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try LoginServer(shell)
        prefix = "U=http://127.0.0.1:\(server.port); "
    }

    override func tearDown() {
        server.stop()
        super.tearDown()
    }

    /// Runs a command, and compares its output and the requests that it sent.
    private func transcript(
        _ arguments: String,
        _ output: [String],
        requests: [String],
        line: UInt = #line
    ) throws {
        let before = server.log.split(separator: "\n").count
        XCTAssertEqual(
            try run("credkit request \(arguments)", line: line).text,
            output.map { $0 + "\n" }.joined(),
            arguments,
            line: line
        )
        let sent = server.log.split(separator: "\n").dropFirst(before)
        XCTAssertEqual(sent.map(String.init), requests.map { "GET \($0)" }, arguments, line: line)
    }

    private let elements = [
        #"{"id":18446744073709551617,"x":1.10}"#, #""a \" b""#, "[]", "null", #"{"user":"None"}"#,
    ]

    func testEachElementIsALineAsTheServerWroteIt() throws {
        try transcript(
            "$U/list --paginate link",
            elements,
            requests: ["/list", "/list?page=2", "/list?page=3"]
        )
        try transcript(
            "$U/list --paginate page --page-size 2",
            elements,
            requests: ["/list?page=1&per_page=2", "/list?page=2&per_page=2", "/list?page=3&per_page=2"]
        )
        try transcript(
            "\"$U/list?x=%2F&page=3\" --paginate page --page-size 2 -o -",
            [#"{"user":"None"}"#],
            requests: ["/list?x=%2F&page=3&per_page=2"]
        )
        try transcript(
            "$U/cursors --paginate cursor --page-param after --cursor-field next --items data.list --page-size 2",
            (0...5).map { "{\"id\":\($0)}" },
            requests: ["/cursors?limit=2", "/cursors?after=2&limit=2", "/cursors?after=4&limit=2"]
        )
        try transcript(
            "$U/links --paginate link --cursor-field links.next --items results",
            ["1", "2", "3"],
            requests: ["/links", "/links?page=2", "/links?page=3"]
        )
        try transcript(
            "$U/offsets --paginate offset",
            (0...6).map(String.init),
            requests: ["/offsets?offset=0", "/offsets?offset=3", "/offsets?offset=6", "/offsets?offset=7"]
        )
        try transcript(
            "\"$U/offsets?offset=2\" --paginate offset --page-size 4 --size-param limit",
            (2...6).map(String.init),
            requests: ["/offsets?offset=2&limit=4", "/offsets?offset=6&limit=4"]
        )
    }

    func testLongPageIsWrittenInParts() throws {
        try transcript("$U/many --paginate link", (0..<30_000).map(String.init), requests: ["/many"])
        try transcript(
            "$U/many --paginate link -o many; cat many",
            (0..<30_000).map(String.init),
            requests: ["/many"]
        )
    }

    func testPagesAreRequestedAsTheUser() throws {
        try run("printf 123456 | credkit login $U --user alice --key-phrase itheima")
        XCTAssertEqual(
            try run("credkit request $U/list --paginate link | tail -n 1").text,
            "{\"user\":\"alice\"}\n"
        )
        XCTAssertEqual(
            try run("credkit request $U/list --paginate link --anonymous | tail -n 1").text,
            "{\"user\":\"None\"}\n"
        )
    }

    func testFailures() throws {
        let same = try run("credkit request $U/same --paginate page", 65)
        XCTAssertEqual(same.text, "1\n2\n")
        XCTAssertEqual(same.errors, "credkit: the server sent the same page again instead of the next one\n")
        let away = try run("credkit request $U/away --paginate link", 77)
        XCTAssertEqual(
            away.errors,
            "credkit: refusing to follow the link to the next page: it leads to http://127.0.0.1:1, and the list is at "
                + "http://127.0.0.1:\(server.port)\n"
        )
        let broken = try run(
            "credkit request $U/breaks --paginate page -o out; status=$?; ls out; exit $status",
            1
        )
        XCTAssertTrue(
            broken.errors.hasPrefix("credkit: the server answered with status 500\n"),
            broken.errors
        )
        XCTAssertEqual(broken.text, "", "an incomplete list replaces no file")
        let text = try run("credkit request $U/bytes --paginate page", 65)
        XCTAssertTrue(text.errors.hasPrefix("credkit: malformed response"), text.errors)
        let field = try run("credkit request $U/list --paginate page --items data.list", 65)
        XCTAssertEqual(field.errors, "credkit: malformed response: 'data.list' is missing\n")
        for arguments in [
            "--paginate numbers", "--page-size 2", "--items data", "--paginate cursor",
            "--paginate page --cursor-field next", "--paginate offset --cursor-field next",
            "--paginate link --page-param page",
            "--paginate page --page-size 0", "--paginate page --page-size x",
            "--paginate page --size-param n",
            "--paginate page -i", "--paginate offset '?offset=x'",
        ] {
            let path = arguments.contains("?") ? "list?offset=x" : "list"
            let options = arguments.replacingOccurrences(of: " '?offset=x'", with: "")
            try run("credkit request \"$U/\(path)\" \(options)", 64)
        }
    }
}
