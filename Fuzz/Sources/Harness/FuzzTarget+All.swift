// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension FuzzTarget {
    /// All targets, in the order of `Fuzz/targets`.
    static let all: [FuzzTarget] = [
        .base64, .hex, .otpauth, .structuredFields, .webhooks, .messageSignatures, .scramMessages,
        .scramRecords, .scramHeaders,
        .cbor, .authenticatorData, .clientData, .passkeyResponses,
        .passwordHash,
        .filterFiles,
        .hashLists, .vaultHeader,
        .vaultPayload, .vaultFile, .keyring,
        .jsonImport, .passwordManagers, .keePassDatabases, .jsonText, .cookies, .dates, .httpDates,
        .cacheControl, .cacheRecords,
        .downloads, .urls,
        .headers, .linkHeader, .pageJSON, .loginAnswers, .tokenAnswers, .callbackRequests, .challenges,
        .gitCredential, .dockerCredential,
        .tables,
        .checksums, .quantities, .redisReplies,
    ]
}
