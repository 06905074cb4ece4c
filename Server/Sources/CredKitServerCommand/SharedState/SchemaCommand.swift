// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitServer
import CredKitTerminal

/// The `credkit-server schema` command: prints what a shared state in PostgreSQL consists of.
struct SchemaCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit-server schema",
        abstract: "Print the tables and functions of a shared state in PostgreSQL, as a script for psql.",
        discussion: """
            For instance:
              credkit-server schema --role login_server | psql --dbname=logins --set=ON_ERROR_STOP=1

            Run it as a role that owns the schema and is not the role of the servers, which may then only call the functions. It also \
            sets the time limits of that role. The script can run again, and must after an update of credkit-server.
            """
    )

    @Option(help: ArgumentHelp("The role of the servers, which must exist.", valueName: "name"))
    var role: String

    func validate() throws {
        guard !role.isEmpty, role.utf8.count <= 63, !role.utf8.contains(0) else {
            throw ValidationError("The name of a role has from 1 to 63 bytes.")
        }
    }

    func execute() async throws {
        // The schema does not depend on the key.
        let configuration = try SharedStateConfiguration(key: SecretBytes(randomByteCount: 32))
        try StandardStreams.write(Array(SQLSchema(configuration).script(role: role).utf8))
    }
}
