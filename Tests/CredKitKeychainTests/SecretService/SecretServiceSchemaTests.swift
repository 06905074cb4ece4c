// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitKeychain

final class SecretServiceSchemaTests: XCTestCase {
    func testGenericSchemaMatchesPythonKeyring() throws {
        let key = CredentialKey(service: "s", account: "a")
        let attributes = try SecretServiceSchema.generic.attributes(for: key)
        let schema = "org.freedesktop.Secret.Generic"
        XCTAssertEqual(attributes, ["service": "s", "username": "a", "xdg:schema": schema])
        XCTAssertTrue(SecretServiceSchema.generic.key(for: attributes).isSame(as: key))
        XCTAssertEqual(try SecretServiceSchema.generic.query(for: key), ["service": "s", "username": "a"])
    }

    func testKeytarSchemaNamesTheAccountAttributeAccount() throws {
        let key = CredentialKey(service: "s", account: "a", attributes: ["x": "y"])
        let attributes = try SecretServiceSchema.keytar.attributes(for: key)
        let schema = "org.freedesktop.Secret.Generic"
        XCTAssertEqual(attributes, ["service": "s", "account": "a", "x": "y", "xdg:schema": schema])
        XCTAssertTrue(SecretServiceSchema.keytar.key(for: attributes).isSame(as: key))
        XCTAssertEqual(SecretServiceSchema.keytar.label(of: CredentialItem(key: key)), "s/a")
        XCTAssertEqual(SecretServiceSchema.keytar.label(of: CredentialItem(key: key, label: "own")), "own")
    }

    func testGitAddressesAreSplitByBytes() throws {
        // A character of Swift may consist of a slash or a colon and an accent.
        for (address, parts) in [
            (
                "https://good.example/\u{301}@evil.example",
                ["server": "good.example", "object": "\u{301}@evil.example"]
            ),
            ("https://good.example/\u{301}/x", ["server": "good.example", "object": "\u{301}/x"]),
        ] {
            let key = CredentialKey(service: address, account: nil)
            let attributes = try SecretServiceSchema.git.attributes(for: key)
            for (name, value) in parts {
                XCTAssertEqual(attributes[name].map { Array($0.utf8) }, Array(value.utf8), address)
            }
            XCTAssertTrue(SecretServiceSchema.git.key(for: attributes).isSame(as: key), address)
        }
        let key = CredentialKey(service: "https://h:\u{301}80", account: nil)
        XCTAssertThrowsError(try SecretServiceSchema.git.attributes(for: key))
    }

    func testGitSchemaStoresAddressesInParts() throws {
        let cases: [(String, [String: String], String)] = [
            (
                "https://example.com", ["protocol": "https", "server": "example.com"],
                "Git: https://example.com/"
            ),
            (
                "http://h:8080/a/b.git",
                ["protocol": "http", "server": "h", "port": "8080", "object": "a/b.git"],
                "Git: http://h:8080/a/b.git"
            ),
            (
                "https://[::1]:8443", ["protocol": "https", "server": "[::1]", "port": "8443"],
                "Git: https://[::1]:8443/"
            ),
            (
                "https://[::1]/x", ["protocol": "https", "server": "[::1]", "object": "x"],
                "Git: https://[::1]/x"
            ),
            // The passphrase of a client certificate, as stored by git-credential-libsecret.
            (
                "cert:////home/u/c.pem", ["protocol": "cert", "server": "", "object": "/home/u/c.pem"],
                "Git: cert:////home/u/c.pem"
            ),
        ]
        for (address, parts, label) in cases {
            let key = CredentialKey(service: address, account: "alice")
            let attributes = try SecretServiceSchema.git.attributes(for: key)
            let marks = ["user": "alice", "xdg:schema": "org.git.Password"]
            XCTAssertEqual(attributes, parts.merging(marks) { $1 })
            XCTAssertTrue(SecretServiceSchema.git.key(for: attributes).isSame(as: key), address)
            XCTAssertEqual(SecretServiceSchema.git.label(of: CredentialItem(key: key)), label)
        }
        for wrong in [
            "example.com", "://x", "https://u@example.com", "https://h:port", "https://h:99999",
            "https://h:+80", "https:/\u{301}/h", "https://u@\u{301}h",
        ] {
            let key = CredentialKey(service: wrong, account: nil)
            XCTAssertThrowsError(try SecretServiceSchema.git.attributes(for: key), wrong) {
                XCTAssertEqual($0 as? KeychainError, .invalid)
            }
        }
    }

    func testDockerSchemaNamesTheServer() throws {
        let key = CredentialKey(service: "https://index.docker.io/v1/", account: "bob")
        let attributes = try SecretServiceSchema.docker.attributes(for: key)
        XCTAssertEqual(
            attributes,
            [
                "server": "https://index.docker.io/v1/", "username": "bob", "label": "Docker Credentials",
                "docker_cli": "1", "xdg:schema": "io.docker.Credentials",
            ]
        )
        XCTAssertTrue(SecretServiceSchema.docker.key(for: attributes).isSame(as: key))
    }
}

final class BusAddressTests: XCTestCase {
    func testEnvironmentTakesPrecedenceAndNoBusIsStarted() throws {
        let address = try BusAddress.find(address: "unix:path=/x", runtimeDirectory: "/nowhere")
        XCTAssertEqual(address.text, "unix:path=/x")
        for address in ["autolaunch:", "unix:path=/x;autolaunch:scope=*user"] {
            XCTAssertThrowsError(try BusAddress.find(address: address, runtimeDirectory: nil)) {
                XCTAssertEqual($0 as? KeychainError, .noBus)
            }
        }
        XCTAssertThrowsError(try BusAddress.find(address: nil, runtimeDirectory: "/nowhere")) {
            XCTAssertEqual($0 as? KeychainError, .noBus)
        }
    }
}

final class KeyringFileTests: XCTestCase {
    func testFileIsNamedAfterTheLastPathComponent() {
        let root = "/org/freedesktop/secrets/collection/"
        XCTAssertEqual(KeyringFile.identifier(ofCollection: root + "login"), "login")
        XCTAssertEqual(KeyringFile.identifier(ofCollection: root + "Default_5fkeyring"), "Default_keyring")
        for wrong in ["a_2fb", "a_00", "a_", "a_5", "_zz", "_ff"] {
            XCTAssertNil(KeyringFile.identifier(ofCollection: root + wrong), wrong)
        }
    }
}
