// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// What stands on the command line behind the name of a part or of `report`.
struct Options {
    /// The folder of the repository, with the command and the environment of python in it.
    var root = "."
    /// The size of the large file that whole commands read.
    var mebibytes = 1024
    /// Where the result goes as JSON.
    var json: String?
    /// The reference that a report is compared with.
    var reference: String?
    /// Whether the reference is written anew.
    var updatesReference = false
    /// The parts that a report is of.
    var parts: [Part] = []

    /// nil if they cannot be understood.
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

    /// The static release build of the command, whose path stays right in another folder.
    var credkit: String {
        get throws { try existing(".build/release/credkit", madeBy: "script/build") }
    }

    /// The python that has pybase64.
    var python: String {
        get throws { try existing(".build-python-bench/bin/python3", madeBy: "script/bench") }
    }

    /// What python runs.
    var pythonWorker: String {
        get throws { try existing("Benchmarks/Python/worker.py", madeBy: "the repository") }
    }

    /// Where a part leaves its result for the report.
    func fragmentPath(of part: Part) -> String { "\(root)/Benchmarks/results/parts/\(part.rawValue).json" }

    private func existing(_ path: String, madeBy maker: String) throws -> String {
        let path = URL(fileURLWithPath: root).appendingPathComponent(path).path
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure(description: "there is no \(path), which \(maker) makes; is --root right?")
        }
        return path
    }
}
