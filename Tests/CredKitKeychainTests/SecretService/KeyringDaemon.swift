// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// The keyring that `script/with-keyring` has started for this process.
struct KeyringDaemon {
    enum Kind: String { case gnome, keepassxc, kwallet }

    /// The program that answers or closes a dialog.
    private static let answerDialog = TestScripts.root.appending(path: "script/lib/answer-dialog")

    let kind: Kind
    let process: pid_t
    let password: String
    let address: BusAddress

    /// Reads the environment; skips the test without a keyring.
    init() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let kind = environment["CREDKIT_KEYRING"].flatMap(Kind.init),
            let process = environment["CREDKIT_KEYRING_PROCESS"].flatMap(pid_t.init),
            let password = environment["CREDKIT_KEYRING_PASSWORD"]
        else { throw XCTSkip("script/with-keyring has not started this") }
        self.kind = kind
        self.process = process
        self.password = password
        address = try BusAddress.find()
    }

    /// Returns a store that may show dialogs.
    func store(
        _ collection: String? = nil,
        _ schema: SecretServiceSchema = .generic,
        policy: PromptPolicy = PromptPolicy(
            mode: .desktop,
            timeout: .seconds(30),
            promptTimeout: .seconds(30)
        )
    ) -> SecretServiceStore {
        SecretServiceStore(collection: collection, schema: schema, promptPolicy: policy, address: address)
    }

    /// Runs a program, with its input, to the end.
    ///
    /// - Returns: Its output and exit status.
    func run(_ program: String, _ arguments: [String], input: String = "") throws -> Program.Outcome {
        let command = ["timeout", "60", program] + arguments
        return try Program.run(command, input: Data(input.utf8))
    }

    /// Runs `script/lib/answer-dialog` while a call shows a dialog.
    func answering<Value: Sendable>(
        _ answer: String,
        _ call: @Sendable () async throws -> Value
    ) async throws -> Value {
        let process = Process()
        process.executableURL = Self.answerDialog
        process.arguments = [answer]
        try process.start()
        defer { process.waitForExit() }
        return try await call()
    }

    /// Closes the dialogs that a prompt has left, if any.
    func closeDialogs() async throws {
        let ended = try run(Self.answerDialog.path, ["none"])
        XCTAssertEqual(ended.status, 0, ended.text)
    }

    /// Unlocks the default collection with its password: gnome-keyring without its dialog, which is not installed.
    func unlock() async throws {
        guard kind == .gnome else {
            try await answering("password") { try await store().unlock() }
            return
        }
        let tool = TestScripts.path("keyring_tool.py")
        let path = "/org/freedesktop/secrets/collection/login"
        let ended = try run("/usr/bin/python3", [tool, "unlock", path, password])
        XCTAssertEqual(ended.status, 0, ended.text)
    }
}
#endif
