// Part of CredKit. SPDX-License-Identifier: Apache-2.0
internal import CredKit
enum TerminalPrompt {
    static func ask(_ prompt: String, _ token: CallToken) throws(KeychainError) -> SecretBytes {
        throw .unsupported("")
    }
}
