// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A hash of crypt(3) behind a prefix that is only a notation. It has the scheme of that hash.
protocol PrefixedCryptScheme: LayerableScheme {
    var prefixText: String { get }

    /// The hash behind the prefix.
    var inner: any CryptScheme { get set }

    /// The name of the notation.
    static var notation: String { get }
}

extension PrefixedCryptScheme {
    /// None of its own.
    static var schemes: [PasswordHash.Scheme] { [] }

    var description: String { prefixText + inner.description }
    var scheme: PasswordHash.Scheme { inner.scheme }
    var unprefixed: any PasswordScheme { inner }
    var parameters: [PasswordHash.Parameter] { inner.parameters + [.init("notation", Self.notation)] }
    var salt: [UInt8] { inner.salt }
    var digest: [UInt8] { inner.digest }
    var weakness: String? { inner.weakness }

    var setting: Self {
        var copy = self
        copy.inner = inner.setting
        return copy
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        inner.computationCost(passwordByteCount: passwordByteCount)
    }

    func ignoresBytes(of password: Span<UInt8>) -> Bool { inner.ignoresBytes(of: password) }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try inner.computeDigest(of: password, context)
    }
}
