// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One measurement of one contender.
struct Sample: Sendable {
    /// The time in seconds.
    var seconds: Double
    /// The time that processors worked, in seconds; 0 where nothing is known of it.
    var processorSeconds = 0.0
    /// The most memory that the process had, in KiB; 0 where nothing is known of it.
    var peakKiB = 0
}

/// Somebody who can be measured.
struct Contender {
    let name: String
    /// How many bytes are worked on in the time of a sample; 0 where that says nothing.
    var byteCount = 0
    let run: () throws -> Sample
}

/// The time that something takes; it answers 0 when all went well.
func clocked(_ body: () throws -> Int32) throws -> Sample {
    let start = ContinuousClock.now
    let status = try body()
    let time = start.duration(to: .now)
    guard status == 0 else { throw Failure(description: "a contender failed") }
    return Sample(seconds: time / .seconds(1))
}

/// Why nothing can be said.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
