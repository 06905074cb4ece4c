// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

extension SecretBytes {
    /// The bytes as an array. The inputs are no secrets.
    var copy: [UInt8] { withSecretBytes { bytes in bytes.indices.map { bytes[$0] } } }
}
