// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// libcrypto is loaded when it is needed, before any other library that needs it, and never reads a configuration that the
/// environment names: it can load code.
final class OpenSSLLoadingTests: ShellTestCase {
    // MARK: Without libcrypto

    /// The loader looks here first. An invalid library ends its search.
    private let without = "mkdir -p lib; : > lib/libcrypto.so.3; export LD_LIBRARY_PATH=$PWD/lib; "

    func testCommandsThatDoNotNeedItWork() throws {
        try run(without + "printf abc > a; credkit hash md5 a && credkit base64 a && credkit --help > help")
    }

    func testOthersSayWhatIsMissing() throws {
        for command in ["printf abc | credkit hash sha256", "OPENSSL_CONF=x credkit --help"] {
            let outcome = try run(without + command, 127)
            XCTAssertTrue(outcome.errors.contains("CredKit cannot load libcrypto.so.3: "), outcome.errors)
            XCTAssertTrue(outcome.errors.contains("apt-get install libssl3"), outcome.errors)
        }
    }

    // MARK: The order

    /// Expects that a command which another library makes load libcrypto has done so itself before.
    private func expectOwnLoad(_ command: String, _ library: String, line: UInt = #line) throws {
        let outcome = try run(
            """
            unset ${!OPENSSL_@}
            LD_DEBUG=files LD_DEBUG_OUTPUT=loaded \(command) >/dev/null 2>&1
            grep -ohE 'file=(libcrypto|\(library))\\.so[.0-9]* .*(loaded|needed) by' loaded.* | sed 's/ .*;  / /; s/file=//'
            """
        )
        let lines = outcome.text.split(separator: "\n")
        XCTAssertEqual(lines.first, "libcrypto.so.3 dynamically loaded by", outcome.text, line: line)
        XCTAssertTrue(lines.contains { $0.hasPrefix(library) }, outcome.text, line: line)
    }

    func testLibcurlComesAfterIt() throws {
        try expectOwnLoad("credkit request https://127.0.0.1:1/", "libcurl")
    }

    func testLibpqComesAfterIt() throws {
        let table = "--table users --id-column id --hash-column hash"
        try expectOwnLoad("credkit audit --database 'host=127.0.0.1 port=1' \(table)", "libpq")
    }

    // MARK: The configuration

    /// Writes a configuration with which nothing works. The time of its last access is updated, since it is before
    /// that of its last change.
    private let configuration = """
        printf 'openssl_conf = a\\n[a]\\nproviders = b\\n[b]\\nnull = c\\n[c]\\nactivate = 1\\n' > openssl.cnf
        touch -a -d 2020-01-01 openssl.cnf
        is_read() { stat -c %x openssl.cnf | grep -vq ^2020-01-01; }

        """

    private func expect(_ script: String, _ status: Int32, reads: Bool, line: UInt = #line) throws {
        let read = try shell.run(configuration + "cat openssl.cnf; is_read")
        try XCTSkipUnless(read.status == 0, "This file system does not keep the times of accesses.")
        let outcome = try run(
            configuration + """
                (export OPENSSL_CONF=$PWD/openssl.cnf; \(script)) >/dev/null 2>errors
                echo $? $(is_read && echo read)
                """
        )
        XCTAssertEqual(outcome.text, "\(status)\(reads ? " read" : "")\n", script, line: line)
    }

    func testOpenSSLReadsTheConfiguration() throws {
        try expect("openssl dgst -sha256 openssl.cnf", 1, reads: true)
    }

    func testTheCommandDoesNotReadIt() throws {
        try expect("printf x | credkit hash sha256", 0, reads: false)
        try expect("printf x | credkit hash scrypt", 0, reads: false)
        try expect("printf s3cret | credkit keychain set s a && credkit keychain get s a", 0, reads: false)
        try expect("credkit request https://127.0.0.1:1/", 69, reads: false)
    }
}
