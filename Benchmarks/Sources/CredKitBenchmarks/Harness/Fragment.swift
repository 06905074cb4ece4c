// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// What one part of the benchmarks showed, as the file that it leaves for the report.
struct Fragment: Codable {
    /// A part's name.
    let part: String
    /// How long the part took.
    let seconds: Double
    let outcomes: [Outcome]
    /// Throughput against the size of the input.
    var sizes: [SizeSeries] = []

    func write(to path: String) throws {
        try JSONFile.write(self, to: path)
    }
}

/// The line of one contender in a plot.
struct SizeSeries: Codable {
    struct Point: Codable {
        /// The bytes of one input, before encoding.
        let byteCount: Int
        let bytesPerSecond: Spread
    }

    let chart: String
    let name: String
    let points: [Point]
}

/// Files of JSON that can be compared line by line.
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
