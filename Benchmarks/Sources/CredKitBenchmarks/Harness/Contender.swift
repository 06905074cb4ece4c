// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One measurement of one contender.
struct Sample: Sendable {
    /// The time in seconds.
    var seconds: Double
    /// The processor time in seconds; 0 if unknown.
    var processorSeconds = 0.0
    /// The peak memory of the process in KiB; 0 if unknown.
    var peakKiB = 0
}

/// A measurable implementation.
struct Contender {
    let name: String
    /// The bytes processed per sample; 0 if that is meaningless.
    var byteCount = 0
    let run: () throws -> Sample
}

/// Times an operation, which returns 0 on success.
func clocked(_ body: () throws -> Int32) throws -> Sample {
    let start = ContinuousClock.now
    let status = try body()
    let time = start.duration(to: .now)
    guard status == 0 else { throw Failure(description: "a contender failed") }
    return Sample(seconds: time / .seconds(1))
}

/// An error that prevents a result.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
