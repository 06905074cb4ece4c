// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A hash of a scheme that cannot be layered, in another notation. It has the scheme of that hash, which `unprefixed` returns.
protocol WrappedScheme: PasswordScheme {
    /// The name of the notation, in the parameters of a hash.
    var notation: String { get }
}

extension WrappedScheme {
    /// None of its own.
    static var schemes: [PasswordHash.Scheme] { [] }

    var scheme: PasswordHash.Scheme { unprefixed.scheme }
    var parameters: [PasswordHash.Parameter] {
        unprefixed.parameters.filter { $0.name != "notation" } + [.init("notation", notation)]
    }
    var salt: [UInt8] { unprefixed.salt }
    var digest: [UInt8] { unprefixed.digest }
    var weakness: String? { unprefixed.weakness }
    var layeringObstacle: String { unprefixed.layeringObstacle }

    var laneKernels: LaneKernels? { unprefixed.laneKernels }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        unprefixed.computationCost(passwordByteCount: passwordByteCount)
    }

    func input(for password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> SecretBytes? {
        try unprefixed.input(for: password, context)
    }

    func ignoresBytes(of password: Span<UInt8>) -> Bool { unprefixed.ignoresBytes(of: password) }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        try unprefixed.matches(password, context)
    }
}
