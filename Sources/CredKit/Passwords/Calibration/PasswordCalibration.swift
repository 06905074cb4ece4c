// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The highest cost of a scheme that stays within a time and a memory on this machine.
///
/// ```swift
/// let calibration = try PasswordCalibration(of: .argon2id, target: .milliseconds(250), memoryKiB: 64 * 1024)
/// policy.preferred = calibration.parameters
/// ```
///
/// Measure on the machine that will verify, and while it is as busy as it will be. A cost below what
/// ``PasswordPolicy/recommended`` has is not safe, however slow the machine; ``assessment`` tells.
public struct PasswordCalibration: Sendable {
    /// A cost, and what one hash took.
    public struct Measurement: Sendable, CustomStringConvertible {
        /// The scheme with its costs.
        public let parameters: PasswordParameters
        /// The shortest of three runs.
        public let time: Duration

        /// `argon2id memory=65536 passes=3: 83.1 ms`.
        public var description: String {
            "\(parameters): \((seconds * 10_000).rounded() / 10) ms"
        }

        /// A hash that was made with them.
        let hash: String

        /// The time in seconds.
        var seconds: Double { time / .seconds(1) }
    }

    /// The parameters that were chosen.
    public let parameters: PasswordParameters

    /// What one hash with them took.
    public var time: Duration { chosen.time }

    /// Everything that was measured on the way, in its order.
    public let measurements: [Measurement]

    /// How ``PasswordPolicy/recommended`` judges hashes with them.
    public let assessment: PasswordAssessment

    private let chosen: Measurement

    /// Measures. It takes some ten times the target.
    ///
    /// - Parameters:
    ///   - scheme: One of ``PasswordParameters/availableSchemes``.
    ///   - target: The longest that one hash may take.
    ///   - memoryKiB: The most memory that one hash may take, in KiB; of Argon2id, the memory that it takes if the
    ///     target allows. If left out, the limit counts, and for Argon2id 64 MiB.
    ///   - limits: What is never exceeded.
    /// - Throws: ``PasswordError/invalidParameters`` for a scheme that is only verified, and where even the lowest cost
    ///   takes longer or more memory.
    public init(
        of scheme: PasswordHash.Scheme,
        target: Duration,
        memoryKiB: Int? = nil,
        limits: PasswordLimits = .standard
    ) throws(PasswordError) {
        guard let maker = PasswordSchemes.maker(of: scheme) else {
            throw .invalidParameters("new hashes of the scheme \(scheme) are not made")
        }
        guard target > .zero else { throw .invalidParameters("the target is not longer than nothing") }
        let ceiling = min(
            memoryKiB.map { $0.multipliedReportingOverflow(by: 1024) }
                .map { $0.overflow ? Int.max : $0.partialValue } ?? .max,
            limits.memoryByteCount
        )
        var search = PasswordCalibrationSearch(
            maker: maker,
            targetSeconds: target / .seconds(1),
            memoryByteCount: ceiling,
            limits: limits
        )
        chosen = try search.run(startingMemoryKiB: min(memoryKiB ?? 64 * 1024, ceiling / 1024))
        parameters = chosen.parameters
        assessment = PasswordPolicy.recommended.assess(
            try PasswordHash(chosen.hash, limits: limits)
        )
        measurements = search.measurements
    }
}
