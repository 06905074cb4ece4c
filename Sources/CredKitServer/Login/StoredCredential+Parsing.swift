// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension StoredCredential {
    /// Whether a text claims to be the verifier of SCRAM.
    static func isRecord(_ text: String) -> Bool {
        ["SCRAM-", "{SCRAM-", "$layered-scram$"].contains { text.utf8.starts(with: $0.utf8) }
    }

    static func record(_ text: String) throws(LoginServerError) -> SCRAM.Record {
        do throws(SCRAM.Error) {
            return try SCRAM.Record(text)
        } catch {
            throw LoginServerError(
                .malformedCredential,
                message: "not a SCRAM verifier (\(error))",
                underlying: error
            )
        }
    }

    /// Parses the verifier behind a password-equivalent, which must be one of it.
    static func layeredRecord(_ text: String) throws(LoginServerError) -> SCRAM.Record {
        let record = try record(text)
        guard record.keyID == SCRAM.Record.timestampedKeyID, record.verifier.hashFunction != .sha1 else {
            throw LoginServerError(
                .malformedCredential,
                message: "the verifier behind a password-equivalent is not one of a timestamped login"
            )
        }
        return record
    }

    static func hash(_ text: String) throws(LoginServerError) -> String {
        guard !text.utf8.starts(with: "$scram$".utf8) else {
            throw LoginServerError(
                .malformedCredential,
                message:
                    "passlib's $scram$ is not supported: every old copy of its digests logs in by SCRAM as the "
                    + "password does; store a new verifier or hash at the user's next login"
            )
        }
        do throws(PasswordError) {
            return try PasswordHash(text).description
        } catch {
            throw LoginServerError(
                .malformedCredential,
                message:
                    "neither 32 hexadecimal digits (a password-equivalent) nor a password hash (\(error))",
                underlying: error
            )
        }
    }
}
