// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

extension InputFile {
    /// Returns the digest of the content.
    func digest<Function: DigestAlgorithm>(_: Function.Type) throws -> Function.Digest {
        var function = Function()
        try forEachChunk { function.update($0) }
        return function.finalize()
    }
}
