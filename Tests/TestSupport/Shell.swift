// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Runs bash scripts with the built command, in a folder of fixtures.
public struct Shell {
    /// The result of a script.
    public struct Outcome: Equatable {
        /// The exit status.
        public var status: Int32
        /// The standard output.
        public var output: Data
        /// The standard error, as text.
        public var errors: String

        /// The standard output, as text.
        public var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The working folder of the scripts.
    public let folder: URL
    /// The built command.
    public let binary: URL

    /// The interpreter that `python3` starts, which may be a shim that takes longer than most scripts; `nil` if there is none.
    private static let interpreter: String? = {
        let command = ["python3", "-c", "import sys; print(sys.executable, end='')"]
        guard let path = (try? Program.run(command, errors: .kept))?.text else { return nil }
        return path.hasPrefix("/") && !path.contains("'") ? path : nil
    }()

    /// Creates the folder, with built programs and a quick `python3` in its path.
    public init(programs: [String] = ["credkit"]) throws {
        folder = URL(fileURLWithPath: "/tmp/credkit-tests-\(UUID().uuidString)")
        binary = folder.appendingPathComponent("bin/credkit")
        let manager = FileManager.default
        try manager.createDirectory(at: binary.deletingLastPathComponent(), withIntermediateDirectories: true)
        try manager.createDirectory(
            at: folder.appendingPathComponent("bin/home"),
            withIntermediateDirectories: false
        )
        let path = binary.deletingLastPathComponent()
        for program in programs {
            let built = Bundle.main.bundleURL.appendingPathComponent(program).resolvingSymlinksInPath()
            let place = path.appendingPathComponent(program)
            // A link, because the programs are large; another file system needs a copy.
            do {
                try manager.linkItem(at: built, to: place)
            } catch {
                try manager.copyItem(at: built, to: place)
            }
        }
        if let interpreter = Self.interpreter {
            let python = path.appendingPathComponent("python3")
            try "#!/bin/sh\nexec '\(interpreter)' \"$@\"\n".write(
                to: python,
                atomically: true,
                encoding: .utf8
            )
            try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: python.path)
        }
    }

    /// Removes the folder.
    public func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a script.
    ///
    /// - Parameters:
    ///   - script: The script, for bash.
    ///   - tool: The replacement for `$T` in the script.
    /// - Returns: The script's output and exit status.
    /// - Throws: The error that prevents bash from starting.
    public func run(_ script: String, tool: String = "credkit") throws -> Outcome {
        let streams = folder.appendingPathComponent("bin/\(UUID().uuidString)")
        let files = ["out", "err"].map { streams.appendingPathExtension($0) }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        let handles = try files.map { file in
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
            return try FileHandle(forWritingTo: file)
        }
        let process = Process()
        // A network library in the test process ignores broken pipes, and child processes inherit that.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal=PIPE", "/bin/bash", "-c", script]
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] =
            binary.deletingLastPathComponent().path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        environment["T"] = tool
        environment["LC_ALL"] = "C.UTF-8"
        // Root can read any file unless it drops its capabilities.
        environment["UNPRIVILEGED"] = getuid() == 0 ? "setpriv --bounding-set=-all --inh-caps=-all" : ""
        // A separate home, whose keychain is a vault.
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
        try process.start()
        process.waitForExit()
        for handle in handles { try handle.close() }
        return Outcome(
            status: process.terminationStatus,
            output: try Data(contentsOf: files[0]),
            errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
        )
    }
}

/// Repeats a login with a one-time code that was just used, up to three times, until it is refused.
///
/// When a new time step begins in between, its code is new and accepted. Three logins fit into less than two steps of 30
/// seconds, so that at least one repeats a code.
///
/// - Parameter logIn: The login.
/// - Returns: The first outcome that is no success, or the third.
/// - Throws: What the login throws.
public func firstRefusal(_ logIn: () throws -> Shell.Outcome) rethrows -> Shell.Outcome {
    for _ in 0..<2 {
        let outcome = try logIn()
        if outcome.status != 0 { return outcome }
    }
    return try logIn()
}
