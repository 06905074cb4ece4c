// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Reads records of SCRAM. A record has one text.
    static let scramRecords = FuzzTarget("scram-records") { bytes in
        guard let text = String(validating: bytes, as: UTF8.self), let record = try? SCRAM.Record(text) else {
            return
        }
        try requireEqual(Array(record.text.utf8), Array(bytes), "a record has one text")
        let verifier = record.verifier
        let count = verifier.hashFunction.digestByteCount
        try require(
            verifier.storedKey.count == count && verifier.serverKey.count == count,
            "the keys are as long as a digest"
        )
        try require(
            1...1024 ~= verifier.salt.count && 1...Int(Int32.max) ~= verifier.iterations,
            "salt and iterations are within their limits"
        )
        for form in [SCRAM.Verifier.Form.postgreSQL, .dovecot] {
            let again = try? SCRAM.Verifier(verifier.text(form))
            try require(again == verifier, "a verifier is read back in each form")
        }
    }
}
