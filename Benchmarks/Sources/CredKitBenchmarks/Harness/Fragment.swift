// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The results of one part of the benchmarks, as stored in a file for the report.
struct Fragment: Codable {
    /// The part's name.
    let part: String
    /// The duration of the part.
    let seconds: Double
    let outcomes: [Outcome]
    /// Throughput by input size.
    var sizes: [SizeSeries] = []

    func write(to path: String) throws {
        try JSONFile.write(self, to: path)
    }
}

/// The line of one contender in a plot.
struct SizeSeries: Codable {
    struct Point: Codable {
        /// The size of one input in bytes, before encoding.
        let byteCount: Int
        let bytesPerSecond: Spread
    }

    let chart: String
    let name: String
    let points: [Point]
}

/// Reads and writes JSON files that can be compared line by line.
enum JSONFile {
    static func write(_ value: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try (encoder.encode(value) + Data("\n".utf8)).write(to: url, options: .atomic)
    }

    static func read<Value: Decodable>(_ type: Value.Type, from path: String) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw Failure(description: "\(path) cannot be read: \(error)")
        }
    }
}
