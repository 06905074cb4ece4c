// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline

/// Measures throughput by input size for the plots. Makes no claims.
struct SizeSweep {
    /// The line of one contender.
    private struct Series {
        let chart: String
        let name: String
        /// The worker; OpenSSL in C without one.
        let process: CoProcess?
        let operation: String
        /// The number of inputs processed at once.
        var inputs = 1
    }

    private let options: Options
    /// A point is the median of this many samples; 7 give smooth lines.
    private let rounds = 7

    init(_ options: Options) {
        self.options = options
    }

    func measure() throws -> [SizeSeries] {
        let file = try InputFile()
        defer { file.remove() }
        let python = try CoProcess.python(options, data: file.path)
        let paths = try KernelPath.allCases.filter(\.isSupported).map {
            ($0, try CoProcess($0, data: file.path))
        }
        let data = try InputFile.read(file.path)

        var series: [Series] = []
        for direction in ["encode", "decode"] {
            let chart = "base64-\(direction)"
            for (path, process) in paths {
                let name = "CredKit, \(path.rawValue)"
                series.append(Series(chart: chart, name: name, process: process, operation: direction))
            }
            for name in ["pybase64", "binascii"] {
                series.append(
                    Series(chart: chart, name: name, process: python, operation: "\(name)-\(direction)")
                )
            }
        }
        series.append(Series(chart: "md5", name: "one message, OpenSSL", process: nil, operation: ""))
        for (path, process) in paths {
            let name = "\(Workload.batchCount) at once, \(path.rawValue)"
            let inputs = Workload.batchCount
            series.append(
                Series(chart: "md5", name: name, process: process, operation: "md5-batch", inputs: inputs)
            )
        }

        var points = series.map { _ in [SizeSeries.Point]() }
        for exponent in stride(from: 4, through: 24, by: 2) {
            let size = 1 << exponent
            let outcome = try Comparison(
                id: "sizes",
                title: "",
                contenders: series.enumerated().map { number, line in
                    guard let process = line.process else {
                        return Contender("\(number)", byteCount: size) { iterations in
                            var digest = [UInt8](repeating: 0, count: 16)
                            data.withUnsafeBufferPointer {
                                baseline_md5($0.baseAddress, size, iterations, &digest)
                            }
                        }
                    }
                    return Contender("\(number)", process, line.operation, size: size)
                },
                claims: [],
                rounds: rounds
            ).measure()
            for (index, row) in outcome.rows.enumerated() {
                let byteCount = Double(size * series[index].inputs)
                let seconds = row.seconds
                let times = [
                    seconds.minimum, seconds.lowerQuartile, seconds.median, seconds.upperQuartile,
                    seconds.maximum,
                ]
                // Five numbers are their own quartiles.
                let speeds = Spread(times.map { byteCount / $0 })
                points[index].append(.init(byteCount: size, bytesPerSecond: speeds))
            }
            print("sizes: \(size) bytes done")
        }
        return zip(series, points).map { SizeSeries(chart: $0.chart, name: $0.name, points: $1) }
    }
}
