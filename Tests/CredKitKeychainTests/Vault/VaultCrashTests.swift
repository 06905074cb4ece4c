// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Parts of `script/crash-test` that end soon, and processes that use one vault concurrently. `.ci/run` runs the rest of it.
final class VaultCrashTests: VaultTestCase {
    private static let probe = Bundle.main.bundleURL.appendingPathComponent("KeychainProbe").path

    override func setUpWithError() throws {
        try super.setUpWithError()
        try skipUnderSanitizer()
    }

    private func run(_ arguments: [String]) throws -> String {
        try Program.succeed(arguments, errors: .joined).text
    }

    private func crashTest(_ options: [String]) throws {
        _ = try run(["python3", TestScripts.path("crash_test.py"), Self.probe] + options)
    }

    func testSaveOrderIsDurable() throws { try crashTest(["--order"]) }

    func testSaveDuringAReadCausesNoAlarm() throws { try crashTest(["--races"]) }

    func testVaultIsRepairedFromTheBackupOfAKilledRekey() throws { try crashTest(["--halfway"]) }

    func testItemsOfTwoProcessesAreAllStored() throws {
        let count = TestForm.isDeep ? 500 : 100
        let key = folder + "/key"
        try put((0..<32).map { _ in UInt8.random(in: 0...255) }, at: key)
        let writers = try ["first", "second"].map { name in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Self.probe)
            process.arguments = ["write", path, key, "\(count)", name]
            process.standardOutput = FileHandle.nullDevice
            try process.start()
            return process
        }
        for writer in writers {
            writer.waitForExit()
            XCTAssertEqual(writer.terminationStatus, 0)
        }
        let accounts = try run([Self.probe, "list", path, key]).split(separator: "\n")
        XCTAssertEqual(Set(accounts).count, 2 * count)
    }

    /// Libcrypto's handler for exits would race with the vault's thread, which ends when the vault is no longer used.
    func testLibcryptoIsNotCleanedUpAtExit() throws {
        let key = folder + "/key"
        try put((0..<32).map { _ in UInt8.random(in: 0...255) }, at: key)
        _ = try run([Self.probe, "write", path, key, "1", "name"])
        XCTAssertEqual(try run([Self.probe, "exit", path, key]), "name-0\nlibcrypto is usable\n")
    }

    func testCoreDumpContainsNoSecretAfterClosing() throws {
        func random() -> String {
            (0..<16).map { _ in String(format: "%02x", Int.random(in: 0...255)) }.joined()
        }
        let passphrase = random()
        let secrets = (0..<100).map { _ in random() }
        let marker = random()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.probe)
        process.arguments = ["remember", path, marker]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.start()
        input.fileHandleForWriting.write(Data(([passphrase] + secrets).map { $0 + "\n" }.joined().utf8))
        XCTAssertEqual(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self), "ready\n")
        let core = folder + "/core"
        // All memory that the process has mapped, including memory excluded from dumps.
        _ = try run([
            "gdb", "--batch", "-nx", "-ex", "set use-coredump-filter off", "-ex",
            "set dump-excluded-mappings on",
            "-ex", "gcore \(core)", "-p", "\(process.processIdentifier)",
        ])
        input.fileHandleForWriting.closeFile()
        process.waitForExit()
        XCTAssertEqual(process.terminationStatus, 0)
        // The arguments also contain it: the copy on the heap is the second one.
        XCTAssertGreaterThanOrEqual(try count(of: [marker], in: core), 2, "the search should find the marker")
        XCTAssertEqual(try count(of: [passphrase], in: core), 0, "the passphrase")
        XCTAssertEqual(try count(of: secrets, in: core), 0, "the secrets")
    }

    private func count(of texts: [String], in file: String) throws -> Int {
        let patterns = folder + "/patterns"
        try put(Array(texts.map { $0 + "\n" }.joined().utf8), at: patterns)
        let count = try run(["bash", "-c", "grep -aoFf '\(patterns)' '\(file)' | wc -l"])
        return Int(count.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
    }
}
