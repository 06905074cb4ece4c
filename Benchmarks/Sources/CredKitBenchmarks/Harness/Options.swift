// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The command-line options after the name of a part or of `report`.
struct Options {
    /// The repository folder, which contains the command and the Python environment.
    var root = "."
    /// The size of the large file that command comparisons read.
    var mebibytes = 1024
    /// The path of the JSON result.
    var json: String?
    /// The path of the reference for the report.
    var reference: String?
    /// Whether to rewrite the reference.
    var updatesReference = false
    /// The parts in the report.
    var parts: [Part] = []

    /// Returns nil if the arguments are invalid.
    init?(_ arguments: some Collection<String>, acceptsReport: Bool) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--update-reference" where acceptsReport: updatesReference = true
            case "--reference" where acceptsReport:
                guard let value = rest.popFirst() else { return nil }
                reference = value
            case "--json":
                guard let value = rest.popFirst() else { return nil }
                json = value
            case "--root":
                guard let value = rest.popFirst() else { return nil }
                root = value
            case "--mebibytes" where !acceptsReport:
                guard let value = rest.popFirst().flatMap({ Int($0) }), (1...65536).contains(value) else {
                    return nil
                }
                mebibytes = value
            default:
                guard acceptsReport, let part = Part(rawValue: argument) else { return nil }
                parts.append(part)
            }
        }
        if acceptsReport && (parts.isEmpty || updatesReference && reference == nil) { return nil }
    }

    /// The static release build of the command, as an absolute path.
    var credkit: String {
        get throws { try existing(".build/release/credkit", madeBy: "script/build") }
    }

    /// The Python interpreter with pybase64.
    var python: String {
        get throws { try existing(".build-python-bench/bin/python3", madeBy: "script/bench") }
    }

    /// The path of the Python worker.
    var pythonWorker: String {
        get throws { try existing("Benchmarks/Python/worker.py", madeBy: "the repository") }
    }

    /// The path of the Python worker that measures caches.
    var pythonCacheWorker: String {
        get throws { try existing("Benchmarks/Python/cache_worker.py", madeBy: "the repository") }
    }

    /// The path of the Python worker that measures signatures.
    var pythonSigningWorker: String {
        get throws { try existing("Benchmarks/Python/signing_worker.py", madeBy: "the repository") }
    }

    /// The release build of the login server.
    var server: String {
        get throws { try existing(".build-server/release/credkit-server", madeBy: "script/bench") }
    }

    /// The path of the Python program that measures login servers.
    var pythonServersLoad: String {
        get throws { try existing("Benchmarks/Python/servers/login_load.py", madeBy: "the repository") }
    }

    /// The path of the Python program that measures logins with passkeys.
    var pythonPasskeyLoad: String {
        get throws { try existing("Benchmarks/Python/servers/passkey_load.py", madeBy: "the repository") }
    }

    /// The path of the Python program that measures checks of a site's requests.
    var pythonChecks: String {
        get throws { try existing("Benchmarks/Python/servers/checks.py", madeBy: "the repository") }
    }

    /// The path of a part's result for the report.
    func fragmentPath(of part: Part) -> String { "\(root)/Benchmarks/results/parts/\(part.rawValue).json" }

    private func existing(_ path: String, madeBy maker: String) throws -> String {
        let path = URL(fileURLWithPath: root).appendingPathComponent(path).path
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure(description: "there is no \(path), which \(maker) makes; is --root right?")
        }
        return path
    }
}
