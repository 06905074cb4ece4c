// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The highest cost of a scheme that stays within a time and a memory budget on this machine.
///
/// ```swift
/// let calibration = try PasswordCalibration(of: .argon2id, target: .milliseconds(250), memoryKiB: 64 * 1024)
/// policy.preferred = calibration.parameters
/// ```
///
/// Measure on the machine that will verify the passwords, under its expected load. A cost below that of
/// ``PasswordPolicy/recommended`` is not safe, however slow the machine is; ``hashStatus`` reports it.
public struct PasswordCalibration: Sendable {
    /// A cost, and the time that one hash took.
    public struct Measurement: Sendable, CustomStringConvertible {
        /// The scheme with its costs.
        public let parameters: PasswordParameters
        /// The shortest of three runs.
        public let time: Duration

        /// `argon2id memory=65536 passes=3: 83.1 ms`.
        public var description: String {
            "\(parameters): \((seconds * 10_000).rounded() / 10) ms"
        }

        /// A hash that was made with the parameters.
        let hash: String

        /// The time in seconds.
        var seconds: Double { time / .seconds(1) }
    }

    /// The parameters that were chosen.
    public let parameters: PasswordParameters

    /// The time that one hash with them took.
    public var time: Duration { chosen.time }

    /// All measurements, in the order they were made.
    public let measurements: [Measurement]

    /// The hashStatus by ``PasswordPolicy/recommended`` of hashes with these parameters.
    public let hashStatus: PasswordHashStatus

    private let chosen: Measurement

    /// Measures, which takes about ten times the target.
    ///
    /// - Parameters:
    ///   - scheme: One of ``PasswordParameters/availableSchemes``.
    ///   - target: The maximum time that one hash may take.
    ///   - memoryKiB: The maximum memory that one hash may take, in KiB. Argon2id takes this much if the target
    ///     allows it. If left out, the limits apply, and for Argon2id 64 MiB.
    ///   - limits: The limits that are never exceeded.
    /// - Throws: ``PasswordError/invalidParameters`` for a scheme that is only verified, and if even the lowest cost
    ///   takes more time or memory than allowed.
    public init(
        of scheme: PasswordHash.Scheme,
        target: Duration,
        memoryKiB: Int? = nil,
        limits: PasswordLimits = .standard
    ) throws(PasswordError) {
        guard let algorithm = PasswordSchemes.algorithm(of: scheme) else {
            throw .invalidParameters("the scheme \(scheme) is only verified: no new hashes of it can be made")
        }
        guard target > .zero else { throw .invalidParameters("the target time must be greater than zero") }
        let ceiling = min(
            memoryKiB.map { $0.multipliedReportingOverflow(by: 1024) }
                .map { $0.overflow ? Int.max : $0.partialValue } ?? .max,
            limits.memoryByteCount
        )
        var search = PasswordCalibrationSearch(
            algorithm: algorithm,
            targetSeconds: target / .seconds(1),
            memoryByteCount: ceiling,
            limits: limits
        )
        chosen = try search.run(startingMemoryKiB: min(memoryKiB ?? 64 * 1024, ceiling / 1024))
        parameters = chosen.parameters
        hashStatus = PasswordPolicy.recommended.assess(
            try PasswordHash(chosen.hash, limits: limits)
        )
        measurements = search.measurements
    }
}
