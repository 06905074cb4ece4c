// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// A secret in guarded memory, and encodings that do not leak it through timing.

import CredKit

let token = try SecretBytes(randomByteCount: 32)
print(token)  // ‹redacted›
print(token.isLocked)

// The only way to the bytes is a closure.
let text = token.withSecretBytes { Base64.urlSafe.unpadded.encode($0) }
print(text.utf8.count)

// Equal secrets compare equal, in a time that does not tell where two differ.
print(try SecretBytes(Base64.urlSafe.unpadded.decode(text)) == token)
