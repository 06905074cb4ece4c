// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// No stored response answers a request that nothing else may answer.
struct NothingStored: Error {
    static let error = ClientError(
        .notCached,
        message: ClientError.notCached.message,
        underlying: NothingStored()
    )
}
