// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Searches for the highest cost whose hash stays within a target time.
struct PasswordCalibrationSearch {
    let algorithm: PasswordAlgorithm
    let target: Duration
    let limits: PasswordLimits
    /// Is asked before each hash.
    let isCancelled: () -> Bool
    private(set) var measurements: [PasswordCalibration.Measurement] = []

    init(
        algorithm: PasswordAlgorithm,
        target: Duration,
        limits: PasswordLimits,
        isCancelled: @escaping () -> Bool
    ) {
        self.algorithm = algorithm
        self.target = target
        self.limits = limits
        self.isCancelled = isCancelled
    }

    /// Searches, with as much memory for a hash as given and allowed, if the scheme has a cost for it.
    mutating func run(startingAt memory: MemorySize) throws(PasswordError) -> PasswordCalibration.Measurement
    {
        var costs = algorithm.costs.map(\.recommended)
        if let index = algorithm.costs.firstIndex(where: \.isMemory) {
            // Memory first, because it costs attackers more than time does; then the passes over it.
            costs[index] = max(memory.kibibytes, algorithm.costs[index].range.lowerBound)
            costs[algorithm.tuning.costIndex] = algorithm.costs[algorithm.tuning.costIndex].range.lowerBound
            while try measure(costs).map({ $0.time > target }) ?? true {
                guard costs[index] / 2 >= algorithm.costs[index].range.lowerBound else { throw tooSlow }
                costs[index] /= 2
            }
        }
        let found =
            switch algorithm.tuning {
            case .linear(let index): try searchLinear(costs, index)
            case .doubling(let index): try searchDoubling(costs, index)
            }
        guard let found else { throw tooSlow }
        return found
    }

    private var tooSlow: PasswordError {
        .invalidParameters(
            "even the lowest cost of \(algorithm.scheme) takes more time or memory than is allowed"
        )
    }

    /// Extrapolates from a measurement that is long enough to be exact: time is proportional to the cost.
    private mutating func searchLinear(
        _ start: [Int],
        _ index: Int
    ) throws(PasswordError) -> PasswordCalibration.Measurement? {
        let range = algorithm.costs[index].range
        var costs = start
        costs[index] = range.lowerBound
        guard var best = try measure(costs), best.time <= target else { return nil }
        // The first extrapolations start from very short times and may be far off, so each step is limited, and
        // repeated.
        for _ in 0..<6 {
            let scale = target / max(best.time, .nanoseconds(1))
            let next = min(
                Double(costs[index]) * min(scale, 16),
                Double(range.upperBound)
            )
            guard Int(next) > costs[index] else { break }
            var candidate = costs
            candidate[index] = Int(next)
            while try measure(candidate).map({ $0.time > target }) ?? true {
                // Slightly too slow: reduce the cost in small steps, but never below one that is known to fit.
                candidate[index] = min(candidate[index] - 1, candidate[index] * 19 / 20)
                guard candidate[index] > costs[index] else { return best }
            }
            if let last = measurements.last { best = last }
            costs = candidate
            // Closer than a tenth is within the error of the measurement.
            if best.time / target > 0.9 { break }
        }
        return best
    }

    /// Tries one cost after the other: time doubles with each step.
    private mutating func searchDoubling(
        _ start: [Int],
        _ index: Int
    ) throws(PasswordError) -> PasswordCalibration.Measurement? {
        var best: PasswordCalibration.Measurement?
        var costs = start
        for cost in algorithm.costs[index].range {
            costs[index] = cost
            guard let measured = try measure(costs) else { break }
            guard measured.time <= target else { break }
            best = measured
        }
        return best
    }

    /// Returns the shortest of three runs, or `nil` if the limits do not allow even one.
    private mutating func measure(
        _ costs: [Int]
    ) throws(PasswordError) -> PasswordCalibration.Measurement? {
        let parameters = try PasswordParameters(
            algorithm.scheme,
            costs: Dictionary(uniqueKeysWithValues: zip(algorithm.costs.map(\.name), costs))
        )
        // On a busy machine a second measurement could exceed the target, although the first one did not.
        if let known = measurements.first(where: { $0.parameters == parameters }) { return known }
        let computationCost = parameters.schemeParameters.computationCost(passwordByteCount: 0)
        guard computationCost.memory <= limits.memory, computationCost.time <= limits.computationTime else {
            return nil
        }
        let context = HashingContext(limits: limits, legacyKeys: [:])
        var shortest = Duration.seconds(Int64.max)
        var hash = ""
        for round in 1...3 {
            if isCancelled() { throw .cancelled }
            let start = ContinuousClock.now
            hash = try "correct horse battery staple".withSecretBytes {
                (password) throws(PasswordError) in
                try parameters.schemeParameters.hash(password, context)
            }
            shortest = min(shortest, start.duration(to: .now))
            // A hash that is far too slow in two runs need not be run again. After only one, the machine may have
            // been busy.
            if round > 1, shortest / 2 > target { break }
        }
        let measurement = PasswordCalibration.Measurement(parameters: parameters, time: shortest, hash: hash)
        measurements.append(measurement)
        return measurement
    }
}
