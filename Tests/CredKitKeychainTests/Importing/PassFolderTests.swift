// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// `pass` itself, with keys of its own, reads what is written, and the reverse.
final class PassFolderTests: PassTestCase {
    /// gpg and pass run for each.
    private static let count = TestForm.isDeep ? 100 : 20

    /// `pass show` prints the secret first, and reading gives the same item.
    func testPassShowsWhatIsWritten() throws {
        let seed = RandomItems.seed()
        var random = RandomItems(seed: seed)
        _ = try succeed("pass init first@example")
        let items = try random.credentials(Self.count)
        _ = try PassFolder(path: folder).write(items)
        var paths = PassPath()
        for item in items {
            let path = paths.path(of: item)
            let shown = try succeed("pass show -- \"$(printf %b '\(escaped(path))')\"")
            let secret = bytes(item.secret)
            XCTAssertEqual(Array(shown.prefix(secret.count)), secret, "CREDKIT_TEST_SEED=\(seed): \(path)")
            XCTAssertEqual(shown.dropFirst(secret.count).first, 10, "CREDKIT_TEST_SEED=\(seed): \(path)")
        }
        let read = try PassFolder(path: folder).read()
        XCTAssertEqual(read.losses, [])
        XCTAssertEqual(
            Set(read.credentials.map { ItemImage($0) }),
            Set(items.map { ItemImage($0) }),
            "CREDKIT_TEST_SEED=\(seed)"
        )
    }

    /// Octal escapes for `printf %b`, since names have quotes and backslashes.
    private func escaped(_ text: String) -> String {
        text.utf8.map { "\\0" + String($0, radix: 8) }.joined()
    }

    func testWhatPassWritesIsRead() throws {
        let seed = RandomItems.seed()
        var random = RandomItems(seed: seed)
        _ = try succeed("pass init first@example")
        var expected: [String: [UInt8]] = [:]
        var script = ""
        for number in 0..<Self.count {
            var line = bytes(try random.secret()).filter { $0 != 10 && $0 != 0 }
            while line.last == 13 { line.removeLast() }
            if line.starts(with: "otpauth".utf8) || line.isEmpty { line = [0x78] }
            expected["host.example user\(number)"] = line
            let octal = line.map { "\\0" + String($0, radix: 8) }.joined()
            script +=
                "printf '%b\\nnote \(number)\\n' '\(octal)' | pass insert -m host.example/user\(number) >/dev/null\n"
        }
        _ = try succeed(script)
        let read = try PassFolder(path: folder).read()
        XCTAssertEqual(read.losses, [])
        XCTAssertEqual(read.credentials.count, 2 * Self.count)
        var found: [String: [UInt8]] = [:]
        for credential in read.credentials where credential.item.service == "host.example" {
            found["host.example \(credential.item.account ?? "")"] = bytes(credential.secret)
        }
        XCTAssertEqual(found, expected, "CREDKIT_TEST_SEED=\(seed)")
    }

    func testHostAndUserAreFoundInNamesAndLines() throws {
        let cases: [(path: String, text: String, service: String, account: String?)] = [
            ("git.example/alice", "pw\n", "git.example", "alice"),
            ("git.example", "pw\nlogin: alice\n", "git.example", "alice"),
            ("git.example/alice", "pw\nUsername: alice\n", "git.example", "alice"),
            ("git.example/work", "pw\nuser: alice@corp.example\n", "git.example", "alice@corp.example"),
            ("work/git.example", "pw\n", "git.example", nil), ("Email/personal", "pw\n", "Email", "personal"),
            ("single", " two words \n", "single", nil),
            ("git.example/john.doe", "pw", "git.example", "john.doe"),
        ]
        for (path, text, service, account) in cases {
            let items = try PassText.entry(SecretBytes(text), path: path).items()
            XCTAssertEqual(items.count, 1, path)
            XCTAssertEqual(items[0].credential.item.service, service, path)
            XCTAssertEqual(items[0].credential.item.account, account, path)
            XCTAssertEqual(items[0].credential.item.key.attributes, ["path": path])
            let line = text.split(separator: "\n").first.map { Array($0.utf8) }
            XCTAssertEqual(bytes(items[0].credential.secret), line)
        }
    }

    /// Secrets of the largest size, of text and of other bytes.
    func testLargestSecretsComeBack() throws {
        _ = try succeed("pass init first@example")
        let key = CredentialKey(service: "large", account: nil)
        let lines = (0..<StoreLimits.secretByteCount).map {
            $0 % 64 == 63 ? 10 : UInt8(truncatingIfNeeded: $0)
        }
        let items = [
            Credential(item: CredentialItem(key: key), secret: try SecretBytes(lines)),
            try item("text", "a", String(repeating: "a", count: StoreLimits.secretByteCount)),
        ]
        _ = try PassFolder(path: folder).write(items)
        let read = try PassFolder(path: folder).read()
        XCTAssertEqual(read.losses, [])
        XCTAssertEqual(Set(read.credentials.map { bytes($0.secret) }), Set(items.map { bytes($0.secret) }))
    }

    func testTheNearestKeysAreUsedAndUnusableOnesRefused() throws {
        _ = try succeed("pass init first@example; pass init -p sub second@example")
        _ = try PassFolder(path: folder).write([item("sub", "a", "1"), item("other", "b", "2")])
        for (file, name) in [("sub/a", "second@example"), ("other/b", "first@example")] {
            let outcome = try succeed("gpg --batch --list-packets \"$PASSWORD_STORE_DIR/\(file).gpg\" 2>&1")
            let identifier = try succeed(
                "gpg --batch --with-colons --list-keys \(name) | awk -F: '$1 == \"sub\" { print $5 }'"
            )
            let key = String(decoding: identifier, as: UTF8.self).trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            XCTAssertTrue(String(decoding: outcome, as: UTF8.self).contains(key), file)
        }
        let before = try succeed(
            "cd $PASSWORD_STORE_DIR; mkdir bad; echo missing@example > bad/.gpg-id; find . | sort"
        )
        XCTAssertThrowsError(
            try PassFolder(path: folder).write([item("new", "a", "1"), item("bad", "b", "2")])
        ) {
            XCTAssertEqual($0 as? KeychainError, .denied)
        }
        XCTAssertThrowsError(
            try PassFolder(path: folder).write([item("new", "a", "1"), item("sub", "a", "2")])
        ) {
            XCTAssertEqual($0 as? KeychainError, .alreadyExists)
        }
        XCTAssertEqual(try succeed("cd $PASSWORD_STORE_DIR; find . | sort"), before)
    }

    func testUnreadableEntriesAreListedAndTheRestIsRead() throws {
        _ = try succeed(
            """
            pass init first@example; cd $PASSWORD_STORE_DIR
            echo good | pass insert -m good; printf junk > bad.gpg; ln -s good.gpg link.gpg; ln -s . loop
            mkfifo pipe.gpg; printf x > old.age; mkdir .git; printf x > .git/a.gpg; printf x > readme
            """
        )
        let read = try PassFolder(path: folder).read()
        XCTAssertEqual(read.credentials.map(\.item.service), ["good"])
        XCTAssertEqual(
            Set(read.losses.filter(\.isFailure).map(\.entry)),
            ["bad", "link.gpg", "loop", "pipe.gpg", "old"]
        )
        XCTAssertEqual(read.losses.filter { !$0.isFailure }.map(\.entry), ["readme"])
    }

    /// Each mutated file is a failure or the whole entry, whatever its name is.
    func testMutatedFilesAndNamesAreFailuresOrWhole() throws {
        let seed = RandomItems.seed()
        var random = RandomItems(seed: seed)
        _ = try succeed("pass init first@example; printf 'secret\\nlogin: alice\\n' | pass insert -m good")
        let root = folder + "/"
        let file = try Data(contentsOf: URL(fileURLWithPath: root + "good.gpg"))
        for number in 0..<30 {
            var mutated = [UInt8](file)
            ByteMutation.apply(&mutated, round: number, &random.generator)
            try Data(mutated).write(to: URL(fileURLWithPath: "\(root)mutated\(number).gpg"))
        }
        var names: Set<[UInt8]> = [
            Array("a\u{600}.gpg".utf8), Array("e\u{301}.gpg".utf8), [0xFF] + Array(".gpg".utf8),
        ]
        while names.count < 20 {
            let name = (0..<Int.random(in: 1...12, using: &random.generator)).map { _ in
                UInt8.random(in: 1...255, using: &random.generator)
            }
            if !name.contains(0x2F) { names.insert(name + Array(".gpg".utf8)) }
        }
        for name in names {
            let number = (Array(root.utf8) + name + [0]).withUnsafeBufferPointer { path in
                path.withMemoryRebound(to: CChar.self) { path in
                    path.baseAddress.map { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) } ?? -1
                }
            }
            XCTAssertGreaterThanOrEqual(number, 0)
            try FileHandle(fileDescriptor: number, closeOnDealloc: true).write(contentsOf: file)
        }
        let read = try PassFolder(path: folder, prompts: false).read()
        let place = "CREDKIT_TEST_SEED=\(seed)"
        XCTAssertEqual(read.credentials.count + read.losses.count, 1 + 30 + names.count, place)
        XCTAssertTrue(read.losses.allSatisfy(\.isFailure), "\(place): \(read.losses)")
        let paths = Set(read.credentials.compactMap { $0.item.key.attributes["path"].map { Array($0.utf8) } })
        for name in names where String(validating: name, as: UTF8.self) != nil {
            XCTAssertTrue(paths.contains(Array(name.dropLast(4))), "\(place): \(name)")
        }
        for credential in read.credentials {
            XCTAssertEqual(bytes(credential.secret), Array("secret".utf8), place)
            XCTAssertEqual(credential.item.account, "alice", place)
        }
    }

    /// An entry that was changed with `pass edit` is read as it is now.
    func testChangedEntriesAreReadAsTheyAre() throws {
        let written = try PassText.text(item("s", "a", "old"))
        let text = String(decoding: bytes(written), as: UTF8.self)
        let edited = text.replacingOccurrences(of: "old\n", with: "new\nPIN: 1\n")
        let items = try PassText.entry(SecretBytes(edited), path: "s/a").items()
        XCTAssertEqual(items.map(\.credential.item.service), ["s", "note:s"])
        XCTAssertEqual(items.map { bytes($0.credential.secret) }, [Array("new".utf8), Array("PIN: 1".utf8)])
        let renamed = text.replacingOccurrences(of: "login: a", with: "login: b")
        XCTAssertEqual(
            try PassText.entry(SecretBytes(renamed), path: "s/a").items()[0].credential.item.account,
            "b"
        )
        let long = String(decoding: bytes(try PassText.text(item("s", "a", "1\n2"))), as: UTF8.self)
        XCTAssertThrowsError(
            try PassText.entry(SecretBytes(long.replacingOccurrences(of: "1\n2", with: "1\n23")), path: "s/a")
        )
    }
}
