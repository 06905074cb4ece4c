// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The machine that the figures were measured on.
struct Machine: Codable {
    /// Its name, with what tells generations of one name apart.
    let processor: String
    let processorCount: Int
    /// The processor's instruction sets for which CredKit has kernels.
    let instructionSets: [String]
    let system: String
    let date: String

    init() {
        let lines = Self.processorLines()
        let numbers = ["cpu family", "model"].compactMap { field in lines[field].map { "\(field) \($0)" } }
        processor = ([lines["model name"] ?? "unknown"] + numbers).joined(separator: ", ")
        processorCount = ProcessInfo.processInfo.activeProcessorCount
        instructionSets = KernelPath.allCases.filter(\.isSupported).map(\.rawValue)
        system = ProcessInfo.processInfo.operatingSystemVersionString
        date = String(ISO8601DateFormatter().string(from: Date()).prefix(10))
    }

    /// Reads a field of the first processor from /proc/cpuinfo.
    static func processorLines() -> [String: String] {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        var lines: [String: String] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            // An empty line precedes the next processor.
            guard let colon = line.firstIndex(of: ":") else { break }
            let name = line[..<colon].trimmingCharacters(in: .whitespaces)
            lines[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return lines
    }
}

/// CredKit's kernels, as named by the environment variable CREDKIT_KERNELS.
enum KernelPath: String, CaseIterable {
    case avx512, avx2, ssse3, portable

    static let variable = "CREDKIT_KERNELS"

    /// Whether the processor supports the kernels.
    var isSupported: Bool {
        let needed: [String] =
            switch self {
            case .avx512: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "bmi2"]
            case .avx2: ["avx2"]
            case .ssse3: ["ssse3"]
            case .portable: []
            }
        let flags = Set((Machine.processorLines()["flags"] ?? "").split(separator: " ").map(String.init))
        return needed.allSatisfy(flags.contains)
    }
}
