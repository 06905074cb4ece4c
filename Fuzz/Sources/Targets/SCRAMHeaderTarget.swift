// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Reads headers of HTTP authentication, and reads again what is written of them.
    static let scramHeaders = FuzzTarget("scram-headers") { bytes in
        guard let text = String(input: bytes) else { return }
        if let header = try? SCRAM.AuthenticationHeader.credentials(text) {
            try check(header)
            try requireEqual(
                try? SCRAM.AuthenticationHeader.credentials(header.text),
                header,
                "credentials are read back"
            )
        }
        if let header = try? SCRAM.AuthenticationHeader.information(text) {
            try check(header)
            try requireEqual(
                try? SCRAM.AuthenticationHeader.information(header.text),
                header,
                "information is read back"
            )
        }
        guard let challenges = try? SCRAM.AuthenticationHeader.challenges([text]) else { return }
        try require(challenges.count <= 16, "the number of schemes has a limit")
        for challenge in challenges { try check(challenge) }
        try requireEqual(
            try? SCRAM.AuthenticationHeader.challenges([challenges.map(\.text).joined(separator: ", ")]),
            challenges,
            "a list of challenges is read back"
        )
    }

    private static func check(_ header: SCRAM.AuthenticationHeader) throws {
        let names = header.parameters.map { $0.name.lowercased() }
        try requireEqual(Set(names).count, names.count, "a parameter occurs once")
        try require(names.count <= 16 && !names.contains(""), "the parameters are within their limits")
        let values = header.parameters.map(\.value) + (header.scheme.map { [$0] } ?? [])
        try require(
            values.allSatisfy { value in value.utf8.allSatisfy { $0 == 9 || $0 >= 0x20 && $0 != 0x7F } },
            "no value has control characters"
        )
    }
}
