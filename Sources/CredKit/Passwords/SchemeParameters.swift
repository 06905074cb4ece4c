// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A scheme with its costs, which makes new hashes.
protocol SchemeParameters: Sendable {
    /// Returns the cost of hashing a password.
    func computationCost(passwordByteCount: Int) -> ComputationCost

    /// What computes most of a new hash beside others; `nil` if it computes alone.
    var laneKernels: LaneKernels? { get }

    /// Whether the scheme takes hardly any memory, so that graphics cards compute it fast.
    var isMemoryless: Bool { get }

    /// The longest password in bytes that is hashed in full, or `nil` if there is no limit. A scheme with a limit
    /// does not accept a NUL either, because crypt(3) reads C strings.
    ///
    /// Checked by `newHash` of `PasswordContext+Computation`, and not under a pepper, whose output has a fixed size.
    var longestCString: Int? { get }

    /// What distinguishes texts of the same scheme with the same costs; empty if there is nothing.
    var variant: String { get }

    /// Why new hashes cannot have a pepper, for people; `nil` if they can.
    var pepperObstacle: String? { get }

    /// Returns a new hash of the password with a new salt.
    func hash(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> String

    /// Returns parameters that take a share of the time of these, to be computed a number of times; `nil` if the share
    /// is too small to matter. The share is more than 0 and at most 1.
    func partialComputation(_ share: Double) -> PartialComputation?

    /// Returns whether a stored hash was, or may have been, made with these parameters.
    func hasCosts(of stored: any PasswordScheme) -> Bool

    /// Returns whether a stored hash is of the same scheme and takes an attacker less work than these parameters do;
    /// `nil` if it is of another scheme.
    func isStronger(than stored: any PasswordScheme) -> Bool?
}

/// A part of the work of a new hash.
struct PartialComputation: Sendable {
    let schemeParameters: any SchemeParameters
    let repetitions: Int
    /// The share of the whole work that this part is.
    let share: Double

    /// Creates a number of repetitions of parameters that each take `1 / parts` of the whole work.
    init?(of schemeParameters: any SchemeParameters, parts: Int, share: Double) {
        self.schemeParameters = schemeParameters
        repetitions = Int((share * Double(parts)).rounded())
        self.share = Double(repetitions) / Double(parts)
        if repetitions == 0 { return nil }
    }

    /// Creates a part of a single computation.
    init(_ schemeParameters: any SchemeParameters, share: Double = 1) {
        self.schemeParameters = schemeParameters
        repetitions = 1
        self.share = share
    }
}

extension SchemeParameters {
    var laneKernels: LaneKernels? { nil }
    var isMemoryless: Bool { false }
    var longestCString: Int? { nil }
    var variant: String { "" }
    var pepperObstacle: String? { nil }
}
