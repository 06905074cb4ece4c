// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTestSupport
import CredKitTesting
import Foundation
import Testing

/// Passkeys in a file.
@Suite
struct FilePasskeyStoreTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["passkeys.json"]
    }

    private func credential(_ id: UInt8, in store: FilePasskeyStore) async throws -> PasskeyCredential {
        let record = WebAuthn.CredentialRecord(
            id: [id],
            publicKey: [1, 2, 3],
            userHandle: try await store.userHandle(ofAccountNamed: "alice"),
            signCount: 4,
            isUserVerificationInitialized: true,
            isBackupEligible: false,
            isBackedUp: false,
            transports: ["usb"],
            aaguid: [UInt8](repeating: 0, count: 16)
        )
        return PasskeyCredential(account: "alice", record: record, name: "Key", created: UnixTime(5))
    }

    @Test func passesTheSuite() async throws {
        let store = FilePasskeyStore(path: path)
        try await PasskeyStoreSuite { store }.run()
    }

    /// Each call by another store over the same file, as several programs do.
    @Test func storesOfOneFilePassTheSuite() async throws {
        let stores = (0..<3).map { _ in FilePasskeyStore(path: path) }
        try await PasskeyStoreSuite { RotatingStore(stores) }.run()
    }

    @Test func contentIsReadByTheNextProcess() async throws {
        let store = FilePasskeyStore(path: path)
        let credential = try await credential(1, in: store)
        #expect(try await store.add(credential, limit: 1) == .added)
        #expect(try await store.setPasskeyRequired(true, ofAccountNamed: "alice"))
        let next = FilePasskeyStore(path: path)
        #expect(try await next.credential(id: [1]) == credential)
        #expect(try await next.state(ofAccountNamed: "alice").isPasskeyRequired)
        #expect(try await next.userHandle(ofAccountNamed: "alice") == credential.record.userHandle)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        // No temporary file is left.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == [".passkeys.json.lock", "passkeys.json"])
    }

    @Test func interruptedWritesAreRemoved() async throws {
        let name = ".passkeys.json.0123456789abcdef"
        _ = try folder.write("half", name)
        _ = try await FilePasskeyStore(path: path).userHandle(ofAccountNamed: "alice")
        #expect(!FileManager.default.fileExists(atPath: folder[name]))
    }

    /// Those of editors, and those of a store whose name begins like this one's.
    @Test func otherFilesStay() async throws {
        let names = [".passkeys.json.swp", ".passkeys.json.old.lock", ".passkeys.json.old.0123456789abcdef"]
        for name in names { _ = try folder.write("other", name) }
        _ = try await FilePasskeyStore(path: path).userHandle(ofAccountNamed: "alice")
        for name in names { #expect(FileManager.default.fileExists(atPath: folder[name]), "\(name)") }
    }

    /// It is not taken for one that is missing, with which no account would require a passkey.
    @Test func fileThatCannotBeLookedAtIsAnError() async throws {
        let store = FilePasskeyStore(path: folder[String(repeating: "x", count: 300)])
        await #expect(throws: LoginServerError.storeFailed) {
            try await store.state(ofAccountNamed: "alice")
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"version":2,"accounts":[]}"#, #"{"version":1,"accounts":[{}]}"#,
        #"{"version":1,"accounts":[{"name":"a","userHandle":"","isPasskeyRequired":false,"passkeys":[]}]}"#,
        #"{"version":1,"accounts":[]} x"#,
    ])
    func damagedFileIsAnErrorAndStays(_ text: String) async throws {
        _ = try folder.write(text, "passkeys.json")
        let store = FilePasskeyStore(path: path)
        await #expect(throws: LoginServerError.storeFailed) {
            try await store.userHandle(ofAccountNamed: "alice")
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func fileThatHasGoneIsAnError() async throws {
        let store = FilePasskeyStore(path: path)
        let handle = try await store.userHandle(ofAccountNamed: "alice")
        let copy = folder["copy"]
        try FileManager.default.moveItem(atPath: path, toPath: copy)
        await #expect(throws: LoginServerError.storeFailed) { try await store.credential(id: [1]) }
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        #expect(try await store.userHandle(ofAccountNamed: "alice") == handle)
    }

    @Test func fileThatOthersCanChangeIsRefused() async throws {
        _ = try folder.write(#"{"version":1,"accounts":[]}"#, "passkeys.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        let store = FilePasskeyStore(path: path)
        await #expect(throws: LoginServerError.storeFailed) { try await store.credential(id: [1]) }
    }
}

/// Passes each call to the next one of several stores.
private actor RotatingStore: PasskeyStore {
    private let stores: [FilePasskeyStore]
    private var number = 0

    init(_ stores: [FilePasskeyStore]) { self.stores = stores }

    private var next: FilePasskeyStore {
        number += 1
        return stores[number % stores.count]
    }

    func userHandle(ofAccountNamed name: String) async throws -> [UInt8] {
        try await next.userHandle(ofAccountNamed: name)
    }
    func account(ofUserHandle handle: [UInt8]) async throws -> String? {
        try await next.account(ofUserHandle: handle)
    }
    func credentials(ofAccountNamed name: String) async throws -> [PasskeyCredential] {
        try await next.credentials(ofAccountNamed: name)
    }
    func credential(id: [UInt8]) async throws -> PasskeyCredential? { try await next.credential(id: id) }
    func add(_ credential: PasskeyCredential, limit: Int) async throws -> PasskeyAddition {
        try await next.add(credential, limit: limit)
    }
    func recordUse(
        _ record: WebAuthn.CredentialRecord,
        replacing old: WebAuthn.CredentialRecord,
        at time: UnixTime
    ) async throws -> Bool {
        try await next.recordUse(record, replacing: old, at: time)
    }
    func rename(_ id: [UInt8], ofAccountNamed account: String, to name: String) async throws -> Bool {
        try await next.rename(id, ofAccountNamed: account, to: name)
    }
    func remove(
        _ id: [UInt8],
        ofAccountNamed account: String,
        retainingLast: Bool
    ) async throws -> PasskeyRemoval {
        try await next.remove(id, ofAccountNamed: account, retainingLast: retainingLast)
    }
    func removeAll(ofAccountNamed name: String) async throws -> Int {
        try await next.removeAll(ofAccountNamed: name)
    }
    func state(ofAccountNamed name: String) async throws -> PasskeyAccountState {
        try await next.state(ofAccountNamed: name)
    }
    func setPasskeyRequired(_ isRequired: Bool, ofAccountNamed name: String) async throws -> Bool {
        try await next.setPasskeyRequired(isRequired, ofAccountNamed: name)
    }
}
