// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension SCRAM.MockVerifiers.Kind {
    /// Counts the kinds of verifiers in a table, for new mocks of it.
    ///
    /// Credentials without a verifier are not counted: their users get mocks, too.
    ///
    /// - Parameters:
    ///   - credentials: The credentials of the table.
    ///   - hashFunction: The hash function of the mechanism.
    /// - Returns: The kinds, in an order that depends on nothing else; none if the table has no verifier.
    public static func counted(
        in credentials: some Sequence<StoredCredential>,
        hashFunction: SCRAM.HashFunction = .sha256
    ) -> [Self] {
        var kinds: [Self: Int] = [:]
        for credential in credentials {
            guard let record = try? credential.scramRecord(), record.verifier.hashFunction == hashFunction,
                1...255 ~= record.verifier.salt.count
            else { continue }
            let kind = Self(
                hashFunction: hashFunction,
                iterations: record.verifier.iterations,
                saltByteCount: record.verifier.salt.count,
                subject: record.subject
            )
            kinds[kind, default: 0] += 1
        }
        let counted = kinds.map { kind, count in
            var kind = kind
            kind.count = count
            return kind
        }
        return counted.sorted {
            ($0.iterations, $0.saltByteCount, $0.subject.rawValue)
                < ($1.iterations, $1.saltByteCount, $1.subject.rawValue)
        }
    }
}
