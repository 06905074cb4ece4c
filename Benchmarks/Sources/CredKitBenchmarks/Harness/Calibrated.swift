// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Work that is too short for a single timing: repeated so often that a sample takes a few milliseconds, and reported
/// as the time of one repetition.
final class Calibrated {
    /// The length of a sample in seconds: long compared with the clock's resolution, and short enough that most samples
    /// are not interrupted on a machine with other work.
    static let target = 0.002

    private let measure: (Int) throws -> Double
    private var iterations = 0

    /// `measure` returns the seconds that a number of repetitions take.
    init(_ measure: @escaping (Int) throws -> Double) {
        self.measure = measure
    }

    func sample() throws -> Sample {
        if iterations == 0 { try calibrate() }
        let seconds = try measure(iterations)
        defer {
            // An interrupt may have made few repetitions look long enough.
            if seconds < Self.target / 4 && iterations < Self.limit { iterations *= 2 }
        }
        return Sample(seconds: seconds / Double(iterations))
    }

    private static let limit = 1 << 30

    private func calibrate() throws {
        /// The minimum of three samples, which excludes interrupts.
        func seconds(of count: Int) throws -> Double {
            var least = try measure(count)
            for _ in 0..<2 where least < Self.target { least = min(least, try measure(count)) }
            return least
        }
        var count = 1
        var time = try seconds(of: count)
        while time < Self.target / 4 && count < Self.limit {
            count *= time < Self.target / 64 ? 8 : 2
            time = try seconds(of: count)
        }
        iterations = max(1, Int(Double(count) * min(4, Self.target / max(time, 1e-9))))
    }
}

extension Contender {
    /// An operation of a co-process on one input.
    init(_ name: String, _ process: CoProcess, _ operation: String, size: Int, byteCount: Int? = nil) {
        let work = Calibrated { try process.seconds(operation, size: size, iterations: $0) }
        self.init(name: name, byteCount: byteCount ?? size) { try work.sample() }
    }

    /// Work in this process that repeats itself a given number of times.
    init(_ name: String, byteCount: Int, repeating body: @escaping (Int) throws -> Void) {
        let work = Calibrated { iterations in
            let start = ThreadTime.seconds
            try body(iterations)
            return ThreadTime.seconds - start
        }
        self.init(name: name, byteCount: byteCount) { try work.sample() }
    }
}
