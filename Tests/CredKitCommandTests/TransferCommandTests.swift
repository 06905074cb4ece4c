// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit request` with files, against a server that does not use CredKit.
final class TransferCommandTests: ShellTestCase {
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

    func testDownloadThatWasCutIsContinued() throws {
        let cut = try run(
            "umask 0; credkit request -C - -o file \"$U/file?size=20971520&cut=5000000\"; echo $?; ls | grep -v bin"
        )
        XCTAssertEqual(cut.text, "69\nfile.credkit-note\nfile.credkit-part\n")
        XCTAssertTrue(cut.errors.contains("closed the connection"), cut.errors)
        let rest = try run(
            "credkit request -C - -o file \"$U/file?size=20971520&cut=5000000\"; ls | grep -v bin; stat -c '%s %a' file"
        )
        XCTAssertEqual(rest.text, "file\n20971520 600\n")
        XCTAssertEqual(rest.errors, "", "no progress without a terminal")
        XCTAssertTrue(server.log.contains("FROM 5000000\n"), server.log)
        // Another URL is another file.
        try run("rm file; credkit request -C - -o file \"$U/file?cut=500000\"", 69)
        try run("credkit request -C - -o file \"$U/file?size=20971520\"; stat -c %s file")
        try run("credkit request -o whole \"$U/file?size=20971520\"; cmp file whole")
    }

    func testResponseInAFileHasAnySize() throws {
        try run("credkit request \"$U/file?size=20971520\" >out", 65)
        try run("credkit request -o file \"$U/file?size=20971520\"; [ $(stat -c %s file) = 20971520 ]")
        try run("credkit request -o - \"$U/file?size=20971520\" | cmp - file")
        try run("credkit request -o file \"$U/file?size=20971520&cut=5000000\"", 69)
        XCTAssertEqual(
            try run("stat -c %s file; ls | grep -v bin").text,
            "20971520\nfile\nout\n",
            "the old file is still there"
        )
        XCTAssertEqual(try run("credkit request -o page $U/broken", 1).errors.contains("status 500"), true)
        XCTAssertEqual(try run("cat page").text, "broken\n")
        try run("credkit request -f -o none $U/broken", 1)
        try run("credkit request -C - -o none $U/broken", 1)
        try run("[ ! -e none ] && [ ! -e none.credkit-part ]")
        try run(
            "ln -s file link; credkit request -C - -o link \"$U/file\"; [ -L link ] && [ $(stat -c %s file) = 1048576 ]"
        )
        try run("credkit request -i -o head $U/bytes; head -1 head | grep -qx 'HTTP 200 OK'")
    }

    func testFileIsSentAndSentAgain() throws {
        try run(
            "head -c 3000000 /dev/urandom >'source file'; printf 123456 | credkit login $U --user alice --key-phrase itheima"
        )
        let digest = try run("sha256sum <'source file' | cut -c-64").text
        XCTAssertEqual(try run("credkit request -T 'source file' $U/upload/").text, "stored\n")
        XCTAssertTrue(server.log.contains("PUT /upload/source%20file\nBODY 3000000 \(digest)"), server.log)
        XCTAssertEqual(try run("credkit request POST -T 'source file' $U/upload").text, "stored\n")
        XCTAssertTrue(server.log.contains("POST /upload\nBODY 3000000 \(digest)"), server.log)
        try run(
            "credkit request \"$U/control?expire=1\"; credkit request -T 'source file' \"$U/upload?login=1\""
        )
        XCTAssertTrue(server.log.hasSuffix("PUT /upload?login=1\nBODY 3000000 \(digest)"), server.log)
        try run("credkit request -T none $U/upload", 74)
        try run("credkit request -T . $U/upload", 74)
    }

    func testProgressIsShownOnATerminal() throws {
        let url = "http://127.0.0.1:\(server.port)/file?size=1048576&pause=0.1"
        let shown = try TerminalSession(shell, ["credkit", "request", "-C", "-", "-o", "file", url], [])
        XCTAssertEqual(shown.status, 0, shown.screen)
        XCTAssertNotNil(
            shown.screen.range(
                of: #"KiB  [0-9.]+ KiB/s  [0-9]+ %  [0-9]+ s left"#,
                options: .regularExpression
            ),
            shown.screen
        )
        XCTAssertTrue(shown.screen.hasSuffix("\r\u{1B}[K"), shown.screen)
    }

    func testUsage() throws {
        for arguments in [
            "-C 5 -o file", "-C -", "-C - -o -", "-C - -o file -T file", "-C - -o file -d a",
            "-C - -o file -i", "-T file -d a",
            "-C - -o file --cache reload",
        ] { try run("touch file; credkit request $U/file \(arguments)", 64) }
        XCTAssertEqual(server.log, "", "something was sent")
    }
}
