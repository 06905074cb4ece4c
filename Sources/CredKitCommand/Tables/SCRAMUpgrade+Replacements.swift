// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

extension SCRAMUpgrade {
    func make(_ group: [any HashReplacement]) -> [Result<[UInt8], any Error>] {
        let equivalents = group.compactMap { ($0 as? NewVerifier)?.equivalent }
        let computed = try? SCRAM.Verifier.verifiers(
            ofPasswordEquivalents: groupSize > 1 ? equivalents : [],
            hashFunction: function,
            iterations: iterations
        )
        var verifiers = (computed ?? [])[...]
        return group.map { replacement in
            // After an error each is computed alone, so that only the records that it concerns have it.
            guard let new = replacement as? NewVerifier, let verifier = verifiers.popFirst() else {
                return Result { try replacement.make() }
            }
            return .success(new.content(verifier))
        }
    }

    /// A verifier of a password-equivalent.
    struct NewVerifier: HashReplacement {
        let equivalent: MessageDigest<16>
        let digits: [UInt8]
        let target: SCRAMUpgrade

        private var kept: [UInt8] { target.keepsEquivalents ? digits + [UInt8(ascii: "+")] : [] }

        func make() throws -> [UInt8] {
            do throws(SCRAM.Error) {
                return content(
                    try SCRAM.Verifier(
                        passwordEquivalent: equivalent,
                        hashFunction: target.function,
                        iterations: target.iterations
                    )
                )
            } catch {
                throw CommandFailure(error == .outOfMemory ? .tryAgain : .malformed, "\(error)")
            }
        }

        /// Returns the new content with a verifier.
        func content(_ verifier: SCRAM.Verifier) -> [UInt8] {
            kept + Array(SCRAM.Record(verifier, of: .passwordEquivalent, form: target.form).text.utf8)
        }

        func mightHaveMade(_ content: [UInt8]) -> Bool {
            guard content.starts(with: kept),
                let record = try? SCRAM.Record(
                    String(decoding: content.dropFirst(kept.count), as: UTF8.self)
                )
            else { return false }
            return record.keyID == SCRAM.Record.timestampedKeyID && record.form == target.form
                && record.verifier.hashFunction == target.function
                && record.verifier.iterations == target.iterations.count && record.verifier.salt.count == 16
        }
    }

    /// The verifier that is already there, without the password-equivalent beside it.
    struct Removal: HashReplacement {
        let verifier: [UInt8]

        var isRemoval: Bool { true }

        func make() -> [UInt8] { verifier }

        func mightHaveMade(_ content: [UInt8]) -> Bool { content == verifier }
    }
}
