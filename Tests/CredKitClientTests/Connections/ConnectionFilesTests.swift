// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

/// The files that connection settings name, made by the openssl command.
final class ConnectionFilesTests: XCTestCase {
    private var folder: URL!

    override func setUpWithError() throws {
        folder = URL(fileURLWithPath: try TemporaryFolder.make())
        try shell(
            """
            umask 077
            for name in a b; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=$name -keyout $name.key -out $name.pem
            done
            cat a.pem a.key > both.pem
            cat a.pem b.pem > two.pem
            openssl pkey -in a.key -aes256 -passout pass:hunter2 -out encrypted.key
            openssl ec -in a.key -aes256 -passout pass:hunter2 -out encrypted-ec.key
            openssl rsa -in <(openssl genrsa 2048) -traditional -out rsa.key
            openssl x509 -in a.pem -trustout -out trusted.pem
            """
        )
    }

    override func tearDown() { try? FileManager.default.removeItem(at: folder) }

    private func shell(_ script: String) throws {
        try Program.succeed(["bash", "-ec", script], in: folder, errors: .kept)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func settings(trusting name: String) -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.trustedCertificates = .file(path(name))
        return settings
    }

    private func settings(certificate: String, key: String?) -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.clientCertificate = .init(certificatePath: path(certificate), keyPath: key.map(path))
        return settings
    }

    private func assert(
        _ settings: ConnectionSettings,
        throws expected: ClientError,
        _ text: String,
        line: UInt = #line
    ) {
        for check in [{ try settings.validate() }, { _ = try settings.files() }] {
            XCTAssertThrowsError(try check(), line: line) { error in
                XCTAssertEqual(error as? ClientError, expected, "\(error)", line: line)
                XCTAssertTrue("\(error)".contains(text), "\(error)", line: line)
            }
        }
    }

    func testFileNamesAreComparedByBytes() throws {
        try shell("cp a.pem $'\\u00e9.pem'; cp a.key $'e\\u0301.pem'; chmod 600 *.pem")
        // Swift treats these names as equal.
        XCTAssertNoThrow(try settings(certificate: "\u{E9}.pem", key: "e\u{301}.pem").validate())
    }

    func testCertificatesToTrustAreRead() throws {
        for name in ["a.pem", "two.pem", "trusted.pem"] {
            let settings = settings(trusting: name)
            XCTAssertNoThrow(try settings.validate(), name)
            let content = try Data(contentsOf: folder.appending(path: name))
            XCTAssertEqual(try settings.files().trustedCertificates, Array(content))
        }
        // Certificate files often have text between the certificates.
        try shell("(echo 'An authority'; cat a.pem; echo; cat b.pem; echo '-- end') > commented.pem")
        XCTAssertNoThrow(try settings(trusting: "commented.pem").validate())
        XCTAssertNil(try ConnectionSettings().files().trustedCertificates)
    }

    func testUnusableCertificateFilesAreRefused() throws {
        try shell(
            """
            : > empty.pem; echo nothing > text.pem; cat a.pem a.key > key.pem; cat a.pem encrypted-ec.key > encrypted.pem
            head -n -1 a.pem > cut.pem; sed '3s/./?/' a.pem > base64.pem; openssl x509 -in a.pem -outform der -out a.der
            (cat b.pem; head -n -1 a.pem) > second.pem; openssl pkey -in a.key -pubout -out public.pem
            (echo '-----BEGIN CERTIFICATE-----'; head -c 300 /dev/zero | base64; echo '-----END CERTIFICATE-----') > zero.pem
            (echo '-----BEGIN CERTIFICATE-----'; (cat a.der; echo x) | base64; echo '-----END CERTIFICATE-----') > more.pem
            head -c 17000000 /dev/zero > huge.pem; mkdir folder.pem
            """
        )
        assert(settings(trusting: "missing.pem"), throws: .unreadableFile, "missing.pem")
        assert(settings(trusting: "folder.pem"), throws: .unreadableFile, "directory")
        assert(settings(trusting: "a.pem\0x"), throws: .unreadableFile, "a.pem")
        for (name, text) in [
            ("empty.pem", "empty"), ("text.pem", "no certificate"), ("key.pem", "private key"),
            ("encrypted.pem", "private key"), ("cut.pem", "malformed"), ("base64.pem", "malformed"),
            ("a.der", "no certificate"),
            ("second.pem", "malformed"), ("public.pem", "no certificate"), ("zero.pem", "malformed"),
            ("more.pem", "malformed"), ("huge.pem", "more than"),
        ] { assert(settings(trusting: name), throws: .invalidCertificateFile, text) }
    }

    func testClientCertificateIsReadWithItsKey() throws {
        for (certificate, key) in [
            ("a.pem", "a.key"), ("both.pem", nil), ("both.pem", "a.key"), ("two.pem", "a.key"),
        ] {
            let settings = settings(certificate: certificate, key: key)
            XCTAssertNoThrow(try settings.validate(), certificate)
            let files = try settings.files()
            for (secret, name) in [
                (files.clientCertificate, certificate), (files.clientKey, key ?? certificate),
            ] {
                let content = try Data(contentsOf: folder.appending(path: name))
                XCTAssertEqual(secret, try SecretBytes(Array(content)))
            }
        }
    }

    func testUnusableClientCertificatesAreRefused() throws {
        try shell(
            ": > empty; echo nothing > text; head -n -1 a.key > cut.key; head -c 70000 a.key /dev/zero > huge.key; chmod 600 *"
        )
        for (certificate, key, text) in [
            ("a.pem", "b.key", "does not match"), ("a.pem", "rsa.key", "does not match"),
            ("two.pem", "b.key", "does not match"),
            ("a.pem", "encrypted.key", "encrypted"), ("a.pem", "encrypted-ec.key", "encrypted"),
            ("a.pem", nil, "no private key"),
            ("a.pem", "empty", "empty"), ("a.pem", "text", "no private key"),
            ("a.pem", "cut.key", "malformed"),
            ("a.key", "a.key", "no certificate"), ("empty", "a.key", "empty"),
            ("text", "a.key", "no certificate"),
            ("a.pem", "huge.key", "more than"),
        ] { assert(settings(certificate: certificate, key: key), throws: .invalidCertificateFile, text) }
        assert(settings(certificate: "missing", key: "a.key"), throws: .unreadableFile, "missing")
        assert(settings(certificate: "a.pem", key: "missing"), throws: .unreadableFile, "missing")
    }

    func testKeysReadableByOthersAreRefused() throws {
        for mode in ["640", "604", "620", "602", "610", "644", "777"] {
            try shell("chmod \(mode) a.key both.pem")
            let message = "can be accessed by other users (run chmod 600 '"
            assert(settings(certificate: "a.pem", key: "a.key"), throws: .insecureKeyFile, message)
            assert(settings(certificate: "both.pem", key: nil), throws: .insecureKeyFile, message)
        }
        for mode in ["600", "400", "700"] {
            try shell("chmod \(mode) a.key; chmod 644 a.pem")
            XCTAssertNoThrow(try settings(certificate: "a.pem", key: "a.key").validate(), mode)
        }
    }

    func testPipesAreReadOnceAndNotByTheCheck() throws {
        let pipe = Pipe()
        let content = try Data(contentsOf: folder.appending(path: "two.pem"))
        try pipe.fileHandleForWriting.write(contentsOf: content)
        try pipe.fileHandleForWriting.close()
        var settings = ConnectionSettings()
        settings.trustedCertificates = .file("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        XCTAssertNoThrow(try settings.validate())
        XCTAssertEqual(try settings.files().trustedCertificates, Array(content))
        XCTAssertThrowsError(try settings.files()) {
            XCTAssertEqual($0 as? ClientError, .invalidCertificateFile)
        }
    }

    func testInvalidSocketPathsAreRefused() {
        for (path, isValid) in [
            ("/run/x", true), (String(repeating: "x", count: 107), true), ("", false),
            (String(repeating: "x", count: 108), false), ("/run\0/x", false),
        ] {
            var settings = ConnectionSettings()
            settings.unixSocketPath = path
            if isValid {
                XCTAssertNoThrow(try settings.validate())
            } else {
                XCTAssertThrowsError(try settings.validate()) {
                    XCTAssertEqual($0 as? ClientError, .invalidRequest)
                }
            }
        }
    }
}
