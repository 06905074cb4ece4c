// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The highest cost of a scheme that stays within a time and a memory budget on this machine.
///
/// ```swift
/// let calibration = try await PasswordCalibration.measure(.argon2id, within: .milliseconds(250))
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
            "\(parameters): \((time / .milliseconds(1) * 10).rounded() / 10) ms"
        }

        /// A hash that was made with the parameters.
        let hash: String
    }

    /// The parameters that were chosen.
    public let parameters: PasswordParameters

    /// The time that one hash with them took.
    public var time: Duration { chosen.time }

    /// All measurements, in the order they were made.
    public let measurements: [Measurement]

    /// How ``PasswordPolicy/recommended`` rates hashes with these parameters.
    public let hashStatus: PasswordHashStatus

    private let chosen: Measurement

    /// Measures, which takes about ten times the target on one core.
    ///
    /// The measurements run on a thread of their own. After the task was cancelled they end with the hash that is being
    /// computed.
    ///
    /// - Parameters:
    ///   - scheme: One of ``PasswordParameters/availableSchemes``.
    ///   - target: The maximum time that one hash may take.
    ///   - memoryLimit: The maximum memory that one hash may take. Argon2id takes this much if the target allows it. If
    ///     left out, the limits apply, and for Argon2id 64 MiB.
    ///   - limits: The limits that are never exceeded.
    /// - Returns: The highest cost that was found, with all measurements.
    /// - Throws: ``PasswordError/invalidParameters`` for a scheme that is only verified, and if even the lowest cost
    ///   takes more time or memory than allowed; ``PasswordError/cancelled``; ``PasswordError/outOfMemory``.
    public static func measure(
        _ scheme: PasswordHash.Scheme,
        within target: Duration,
        memoryLimit: MemorySize? = nil,
        limits: PasswordLimits = .standard
    ) async throws(PasswordError) -> PasswordCalibration {
        let isCancelled = Lock(false)
        let result = await withTaskCancellationHandler {
            await DetachedThread.value {
                Result { () throws(PasswordError) in
                    try PasswordCalibration(
                        searching: scheme,
                        within: target,
                        memoryLimit: memoryLimit,
                        limits: limits,
                        isCancelled: { isCancelled.withLock { $0 } }
                    )
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        guard let result else { throw .outOfMemory }
        return try result.get()
    }

    /// Measures on this thread.
    private init(
        searching scheme: PasswordHash.Scheme,
        within target: Duration,
        memoryLimit: MemorySize?,
        limits: PasswordLimits,
        isCancelled: @escaping () -> Bool
    ) throws(PasswordError) {
        guard let algorithm = PasswordSchemes.algorithm(of: scheme) else {
            throw .invalidParameters("the scheme \(scheme) is only verified: no new hashes of it can be made")
        }
        guard target > .zero else { throw .invalidParameters("the target time must be greater than zero") }
        var limits = limits
        limits.memory = min(memoryLimit ?? limits.memory, limits.memory)
        var search = PasswordCalibrationSearch(
            algorithm: algorithm,
            target: target,
            limits: limits,
            isCancelled: isCancelled
        )
        chosen = try search.run(startingAt: min(memoryLimit ?? .mebibytes(64), limits.memory))
        parameters = chosen.parameters
        hashStatus = PasswordPolicy.recommended.assess(try PasswordHash(chosen.hash, limits: limits))
        measurements = search.measurements
    }
}
