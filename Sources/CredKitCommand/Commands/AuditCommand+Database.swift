// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

extension AuditCommand {
    /// Audits a table of a database.
    func auditDatabase(_ context: PasswordContext) throws -> TableFindings {
        let database = try databaseOptions.connect(isReadOnly: true)
        let table = try databaseOptions.find(options.columns, isReadOnly: true, in: database)
        return try DatabaseAuditor(
            table,
            in: database,
            options.bareHashOptions,
            temporaryFolder: folderOfFingerprints
        ).run(PasswordTableAudit(context: context))
    }
}
