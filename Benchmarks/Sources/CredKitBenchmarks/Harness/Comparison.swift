// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Compares contenders on the same work: each round measures all of them in turn, so that a drift of the machine's
/// speed affects them equally.
struct Comparison {
    /// A stable key for the report.
    let id: String
    let title: String
    let contenders: [Contender]
    let claims: [Claim]
    let rounds: Int

    func measure() throws -> Outcome {
        var samples = contenders.map { _ in [Sample]() }
        for round in 0...rounds {
            for (index, contender) in contenders.enumerated() {
                let sample = try contender.run()
                // The first round only warms up.
                if round > 0 { samples[index].append(sample) }
            }
        }
        let byName = Dictionary(uniqueKeysWithValues: zip(contenders.map(\.name), samples))
        return Outcome(
            id: id,
            title: title,
            rows: zip(contenders, samples).map { Outcome.Row($0, $1) },
            ratios: try claims.map { try ratio($0, byName) }
        )
    }

    /// The same for contenders that may be missing because this processor lacks an instruction set. Claims about
    /// missing contenders are reported as not measured.
    func measureWhatIsThere() throws -> Outcome {
        let names = Set(contenders.map(\.name))
        let isThere = { (claim: Claim) in names.contains(claim.ours) && names.contains(claim.against) }
        var outcome = try Comparison(
            id: id,
            title: title,
            contenders: contenders,
            claims: claims.filter(isThere),
            rounds: rounds
        ).measure()
        for claim in claims where !isThere(claim) {
            outcome.ratios.append(.notMeasured(claim, because: "the processor lacks the instructions"))
        }
        return outcome
    }

    private func ratio(_ claim: Claim, _ samples: [String: [Sample]]) throws -> Ratio {
        guard let ours = samples[claim.ours], let theirs = samples[claim.against] else {
            throw Failure(description: "\(claim.id) names a contender that was not measured")
        }
        let values = try zip(ours, theirs).map { ours, theirs in
            let (above, below) =
                switch claim.quantity {
                case .speed: (theirs.seconds, ours.seconds)
                case .processorTime: (ours.processorSeconds, theirs.processorSeconds)
                case .time, .value: (ours.seconds, theirs.seconds)
                }
            guard below > 0 else {
                throw Failure(description: "\(claim.id): a measured time is 0")
            }
            return above / below
        }
        return Ratio(
            id: claim.id,
            ours: claim.ours,
            against: claim.against,
            quantity: claim.quantity,
            unit: .times,
            value: Spread(values),
            goal: claim.goal
        )
    }
}
