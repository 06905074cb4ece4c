// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs scripts of bash with the real binary, in a folder of fixtures.
struct Shell {
    /// What a script did.
    struct Outcome: Equatable {
        var status: Int32
        var output: Data
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The folder that scripts run in.
    let folder: URL
    /// The binary.
    let binary: URL

    init() throws {
        folder = URL(fileURLWithPath: "/tmp/credkit-tests-\(UUID().uuidString)")
        binary = folder.appendingPathComponent("bin/credkit")
        let manager = FileManager.default
        try manager.createDirectory(at: binary.deletingLastPathComponent(), withIntermediateDirectories: true)
        try manager.createDirectory(
            at: folder.appendingPathComponent("bin/home"),
            withIntermediateDirectories: false
        )
        try manager.copyItem(at: Bundle.main.bundleURL.appendingPathComponent("credkit"), to: binary)
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a script.
    ///
    /// - Parameters:
    ///   - script: The script, for bash.
    ///   - tool: What `$T` stands for in it.
    /// - Returns: What it printed, and how it ended.
    /// - Throws: What keeps bash from starting.
    func run(_ script: String, tool: String = "credkit") throws -> Outcome {
        let streams = folder.appendingPathComponent("bin/\(UUID().uuidString)")
        let files = ["out", "err"].map { streams.appendingPathExtension($0) }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        let handles = try files.map { file in
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
            return try FileHandle(forWritingTo: file)
        }
        let process = Process()
        // A network library in the tests' own process has broken pipes ignored, and children inherit that.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal=PIPE", "/bin/bash", "-c", script]
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] =
            binary.deletingLastPathComponent().path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        environment["T"] = tool
        environment["LC_ALL"] = "C.UTF-8"
        // Root may read what nobody may, unless it gives up its capabilities.
        environment["UNPRIVILEGED"] = getuid() == 0 ? "setpriv --bounding-set=-all --inh-caps=-all" : ""
        // An account of its own, whose keychain is a vault.
        environment["HOME"] = folder.appendingPathComponent("bin/home").path
        for name in [
            "XDG_DATA_HOME", "XDG_STATE_HOME", "CREDENTIALS_DIRECTORY", "DISPLAY", "WAYLAND_DISPLAY",
        ] {
            environment[name] = nil
        }
        for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "CREDKIT_VAULT"] {
            environment[name] = nil
        }
        environment["CREDKIT_BACKEND"] = "vault"
        environment["CREDKIT_PASSPHRASE"] = "tests"
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        try process.run()
        process.waitUntilExit()
        for handle in handles { try handle.close() }
        return Outcome(
            status: process.terminationStatus,
            output: try Data(contentsOf: files[0]),
            errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
        )
    }
}
