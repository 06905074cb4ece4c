// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Searches for the highest cost whose hash stays within a target time.
struct PasswordCalibrationSearch {
    let maker: PasswordMaker
    let targetSeconds: Double
    let memoryByteCount: Int
    let limits: PasswordLimits
    private(set) var measurements: [PasswordCalibration.Measurement] = []

    init(maker: PasswordMaker, targetSeconds: Double, memoryByteCount: Int, limits: PasswordLimits) {
        self.maker = maker
        self.targetSeconds = targetSeconds
        self.memoryByteCount = memoryByteCount
        self.limits = limits
    }

    mutating func run(startingMemoryKiB: Int) throws(PasswordError) -> PasswordCalibration.Measurement {
        var costs = maker.costs.map(\.recommended)
        if let index = maker.costs.firstIndex(where: \.isMemory) {
            // Memory first, because it costs attackers more than time does; then the passes over it.
            costs[index] = max(startingMemoryKiB, maker.costs[index].range.lowerBound)
            costs[maker.tuning.costIndex] = maker.costs[maker.tuning.costIndex].range.lowerBound
            while try measure(costs).map({ $0.seconds > targetSeconds }) ?? true {
                guard costs[index] / 2 >= maker.costs[index].range.lowerBound else { throw tooSlow }
                costs[index] /= 2
            }
        }
        let found =
            switch maker.tuning {
            case .linear(let index): try searchLinear(costs, index)
            case .doubling(let index): try searchDoubling(costs, index)
            }
        guard let found else { throw tooSlow }
        return found
    }

    private var tooSlow: PasswordError {
        .invalidParameters(
            "even the lowest cost of \(maker.scheme) takes more time or memory than is allowed"
        )
    }

    /// Extrapolates from a measurement that is long enough to be exact: time is proportional to the cost.
    private mutating func searchLinear(
        _ start: [Int],
        _ index: Int
    ) throws(PasswordError) -> PasswordCalibration.Measurement? {
        let range = maker.costs[index].range
        var costs = start
        costs[index] = range.lowerBound
        guard var best = try measure(costs), best.seconds <= targetSeconds else { return nil }
        // The first extrapolations start from very short times and may be far off, so each step is limited, and
        // repeated.
        for _ in 0..<6 {
            let scale = targetSeconds / max(best.seconds, 1e-9)
            let next = min(
                Double(costs[index]) * min(scale, 16),
                Double(range.upperBound)
            )
            guard Int(next) > costs[index] else { break }
            var candidate = costs
            candidate[index] = Int(next)
            while try measure(candidate).map({ $0.seconds > targetSeconds }) ?? true {
                // Slightly too slow: reduce the cost in small steps, but never below one that is known to fit.
                candidate[index] = min(candidate[index] - 1, candidate[index] * 19 / 20)
                guard candidate[index] > costs[index] else { return best }
            }
            if let last = measurements.last { best = last }
            costs = candidate
            // Closer than a tenth is within the error of the measurement.
            if best.seconds > targetSeconds * 0.9 { break }
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
        for cost in maker.costs[index].range {
            costs[index] = cost
            guard let measured = try measure(costs) else { break }
            guard measured.seconds <= targetSeconds else { break }
            best = measured
        }
        return best
    }

    /// Returns the shortest of three runs, or `nil` if the limits do not allow even one.
    private mutating func measure(
        _ costs: [Int]
    ) throws(PasswordError) -> PasswordCalibration.Measurement? {
        let parameters = try PasswordParameters(
            maker.scheme,
            costs: Dictionary(uniqueKeysWithValues: zip(maker.costs.map(\.name), costs))
        )
        // On a busy machine a second measurement could exceed the target, although the first one did not.
        if let known = measurements.first(where: { $0.parameters == parameters }) { return known }
        let expense = parameters.recipe.expense(passwordByteCount: 0)
        guard expense.memoryByteCount <= memoryByteCount, expense.seconds <= limits.seconds else {
            return nil
        }
        let context = PasswordContext(limits: limits, legacyKeys: [:])
        var shortest = Duration.seconds(Int64.max)
        var hash = ""
        for round in 1...3 {
            let start = ContinuousClock.now
            hash = try "correct horse battery staple".withSecretBytes {
                (password) throws(PasswordError) in
                try parameters.recipe.hash(password, context)
            }
            shortest = min(shortest, start.duration(to: .now))
            // A hash that is far too slow in two runs need not be run again. After only one, the machine may have
            // been busy.
            if round > 1, shortest / .seconds(1) > 2 * targetSeconds { break }
        }
        let measurement = PasswordCalibration.Measurement(parameters: parameters, time: shortest, hash: hash)
        measurements.append(measurement)
        return measurement
    }
}
