// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension SecretBytes {
    /// Returns a secret with a text before it.
    func preceded(by text: String) throws(ClientError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(capacity: text.utf8.count + count) { output in
                for byte in text.utf8 { output.append(byte) }
                withSecretBytes { secret in
                    for index in secret.indices { output.append(secret[index]) }
                }
            }
        } catch {
            throw .outOfMemory
        }
    }
}
