// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// A session bus for tests, initially without services, and the programs that tests start on it. Everything ends with
/// this object, or with the test process.
final class PrivateBus: @unchecked Sendable {
    let directory: URL
    let address: BusAddress
    // Used by one test at a time.
    private var processes: [Process] = []
    private let lifeline = Pipe()

    /// The environment of programs that use the bus, with a separate home.
    var environment: [String: String] {
        [
            "DBUS_SESSION_BUS_ADDRESS": address.text, "HOME": directory.path,
            "XDG_RUNTIME_DIR": directory.path,
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
        ]
    }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            component: "credkit-\(UUID().uuidString.prefix(8))"
        )
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        chmod(directory.path, 0o700)
        let socket = directory.appending(component: "bus").path
        address = BusAddress(text: "unix:path=\(socket)", source: .environment)
        // This bus activates no service, in particular no dialogue.
        let configuration = """
            <busconfig><type>session</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/></policy></busconfig>
            """
        let file = directory.appending(component: "bus.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        // The shell stops the bus when its input ends: with this object, or when the test process exits for any reason.
        // Programs that are connected to the bus end with it.
        let daemon =
            "dbus-daemon --nofork --nosyslog --config-file=\(file.path) </dev/null & read -r _; kill -9 $!"
        try start("sh", ["-c", daemon], input: nil)
        try wait { UnixSocket.accepts(at: socket) }
    }

    deinit { end() }

    func end() {
        try? lifeline.fileHandleForWriting.close()
        for process in processes.dropFirst() { Self.kill(process) }
        for process in processes { process.waitForExit() }
        processes = []
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts a program that runs until the bus ends. Without separate input it inherits the lifeline.
    @discardableResult
    func start(_ program: String, _ arguments: [String], input: String? = "") throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let pipe = input == nil ? lifeline : Pipe()
        process.standardInput = pipe
        try process.start()
        if let input {
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        }
        processes.append(process)
        return process
    }

    /// Runs a program to its end.
    ///
    /// - Returns: Its output and exit status.
    func run(_ program: String, _ arguments: [String], input: String = "") throws -> Program.Outcome {
        let command = ["timeout", "20", program] + arguments
        return try Program.run(command, input: Data(input.utf8), environment: environment)
    }

    /// Terminates a process. Processes that a task starts have most signals blocked, like the threads of the pool.
    static func kill(_ process: Process) {
        if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// Terminates the process that was started last.
    func endLast() {
        guard let process = processes.popLast() else { return }
        Self.kill(process)
        process.waitForExit()
    }

    static let password = "the keyring's password"

    /// Creates a collection in gnome-keyring.
    func createCollection(_ label: String, password: String) throws {
        let tool = try python("keyring_tool.py", "create", label, password)
        XCTAssertEqual(tool.status, 0, tool.text)
    }

    /// Unlocks a collection of gnome-keyring without the dialogue.
    func unlock(_ collection: String, password: String) throws {
        let path = "/org/freedesktop/secrets/collection/\(collection)"
        let tool = try python("keyring_tool.py", "unlock", path, password)
        XCTAssertEqual(tool.status, 0, tool.text)
    }

    private func python(_ script: String, _ arguments: String...) throws -> Program.Outcome {
        try run("/usr/bin/python3", [TestScripts.path(script)] + arguments)
    }

    /// Starts gnome-keyring with an unlocked login keyring.
    @discardableResult
    func startKeyring() throws -> Process {
        let keyring = try start(
            "gnome-keyring-daemon",
            ["--foreground", "--unlock", "--components=secrets"],
            input: Self.password
        )
        try waitForService()
        return keyring
    }

    /// Starts a service that misbehaves; see `fake_service.py`.
    @discardableResult
    func startFake(_ behaviour: String...) throws -> Process {
        let log = directory.appending(component: "fake.log").path
        try? FileManager.default.removeItem(atPath: log)
        let fake = try start("/usr/bin/python3", [TestScripts.path("fake_service.py"), log] + behaviour)
        try wait { FileManager.default.fileExists(atPath: log) }
        return fake
    }

    /// The method names that the fake service received.
    func callsOfFake() -> [String] {
        let log = try? String(contentsOf: directory.appending(component: "fake.log"), encoding: .utf8)
        return log?.split(separator: "\n").map(String.init) ?? []
    }

    func waitForService() throws {
        try wait {
            try self.run(
                "dbus-send",
                [
                    "--session", "--print-reply=literal", "--dest=org.freedesktop.DBus",
                    "/org/freedesktop/DBus",
                    "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets",
                ]
            ).text.contains("true")
        }
    }

    func wait(until isTrue: () throws -> Bool) throws {
        for _ in 0..<500 {
            if try isTrue() { return }
            usleep(20_000)
        }
        throw CocoaError(.fileReadUnknown)
    }

    /// Whether the programs that most tests need are installed; `script/bootstrap` installs them.
    static func skipUnlessInstalled() throws {
        for program in ["/usr/bin/gnome-keyring-daemon", "/usr/bin/dbus-daemon"] {
            try XCTSkipUnless(
                FileManager.default.isExecutableFile(atPath: program),
                "\(program) is not installed"
            )
        }
    }
}

extension SecretServiceStore {
    /// Whether a keychain would choose the Secret Service.
    var isUsable: Bool { get async { (try? await checkIsUsable()) != nil } }
}
