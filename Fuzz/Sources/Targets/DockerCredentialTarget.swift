// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitCommand
import Foundation

extension FuzzTarget {
    /// Feeds docker's messages to the credential helper.
    static let dockerCredential = FuzzTarget("docker-credential") { bytes in
        guard let credential = try? DockerCredential(json: SecretBytes(bytes)) else { return }
        try require(
            !credential.serverURL.isEmpty && !credential.username.isEmpty,
            "server and user are given"
        )
        for text in [credential.serverURL, credential.username] {
            try require(
                !text.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 },
                "server and user are one line"
            )
        }
        let json = try credential.json
        try require(json.last == 10 && !json.dropLast().contains { $0 < 0x20 }, "an answer is one line")
        let again = try DockerCredential(json: SecretBytes(json))
        try requireEqual(Array(again.serverURL.utf8), Array(credential.serverURL.utf8), "the same server")
        try requireEqual(Array(again.username.utf8), Array(credential.username.utf8), "the same user")
        try require(again.secret == credential.secret, "the same secret")
        let members = try JSONSerialization.jsonObject(with: Data(json)) as? [String: String]
        try requireEqual(
            members?.keys.sorted(),
            ["Secret", "ServerURL", "Username"],
            "the members of an answer"
        )
        try requireEqual(
            members?["Secret"].map { Array($0.utf8) },
            credential.secret.copy,
            "another parser agrees"
        )
    }
}
