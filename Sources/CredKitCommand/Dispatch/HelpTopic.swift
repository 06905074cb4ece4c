// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// What `credkit help TOPIC` explains beside the commands.
enum HelpTopic: String, CaseIterable {
    case passwordOptions = "password-options"
    case keychainOptions = "keychain-options"
    case connectionOptions = "connection-options"
    case costOptions = "cost-options"
    case tableOptions = "table-options"
    case databaseOptions = "database-options"
    case environment
    case exitCodes = "exit-codes"
    case formats
    /// Its command has a page of its own, `login --help`.
    case login

    /// The topic of a command line, `help TOPIC`; `nil` for every other one.
    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        self.init(rawValue: arguments[1])
    }

    /// The names of the topics on options, separated by commas.
    static var optionTopics: String {
        allCases.map(\.rawValue).filter { $0.hasSuffix("-options") }.joined(separator: ", ")
    }

    var text: String {
        switch self {
        case .passwordOptions: Self.passwordOptionsText
        case .keychainOptions: Self.keychainOptionsText
        case .connectionOptions: Self.connectionOptionsText
        case .costOptions: Self.costOptionsText
        case .tableOptions: Self.tableOptionsText
        case .databaseOptions: Self.databaseOptionsText
        case .environment: Self.environmentText
        case .exitCodes: Self.exitCodesText
        case .formats: Self.formatsText
        case .login: Self.loginText
        }
    }

    private static var passwordOptionsText: String {
        """
        A password never stands on the command line. It comes from --password-fd or
        --password-file; otherwise from a prompt without echo, if standard input is a
        terminal, which asks for a new password twice; otherwise from standard input.

        \(HelpPage.section("Password", of: VerifyCommand.self))
        """
    }

    private static var keychainOptionsText: String {
        """
        The options of commands that read or write the keychain. Of these, login,
        request, logout and sessions do not take --schema, --timeout and --allow-costly.

        \(HelpPage.section("Keychain", of: KeychainGetCommand.self))

        A vault is unlocked by the first of these: --vault-key-file; the passphrase of
        --passphrase-fd, --passphrase-file or --passphrase-command; the systemd
        credentials credkit.key and credkit.passphrase; CREDKIT_PASSPHRASE; the
        terminal.
        """
    }

    private static var connectionOptionsText: String {
        """
        The options of commands that connect to a server, named as curl names them.

        \(HelpPage.section("Connection", of: RequestCommand.self))
        """
    }

    private static var costOptionsText: String {
        """
        The costs of new Argon2id hashes. 'credkit hash SCHEME --help' has those of
        other schemes, and 'credkit calibrate' finds the highest that this machine
        affords.

        \(HelpPage.section("Costs", of: PasswordHashCommand<Argon2idCommand>.self))

        Keys of hashes, and limits on what a stored hash may cost:

        \(HelpPage.section("Keys and limits", of: VerifyCommand.self))
        """
    }

    private static var tableOptionsText: String {
        """
        Where a table has its hashes:

        \(HelpPage.section("The table", of: UpgradeCommand.self))

        What hexadecimal digits are, which do not tell their scheme:

        \(HelpPage.section("Bare hexadecimal hashes", of: UpgradeCommand.self))

        SCRAM verifiers of the password-equivalents of a timestamped login:

        \(HelpPage.section("SCRAM verifiers", of: UpgradeCommand.self))

          credkit upgrade --input users.csv --hash-column password --as timestamp \\
            --to scram-sha-256 --output users.new.csv

        New clients log in with such a verifier, from password and key phrase. The
        password-equivalent is removed from the record. Between colons the verifiers
        have Dovecot's form, in CSV and TSV PostgreSQL's. For a form over TLS, Argon2id
        is the better choice: make a hash at a login that shows the password.
        """
    }

    private static var databaseOptionsText: String {
        """
        A table in PostgreSQL, in place of files:

        \(HelpPage.section("A table in PostgreSQL", of: UpgradeCommand.self))

          credkit audit --database 'host=db dbname=app user=audit' \\
            --table users --id-column id --hash-column password --as md5
          credkit upgrade --database 'host=db dbname=app user=upgrade' \\
            --table users --id-column id --hash-column password --as md5

        The audit is one read-only transaction, and needs SELECT on the columns.

        The upgrade changes rows in place, while users log in. Any number of commands on
        any number of machines share them by a table of leases, credkit_upgrade_NUMBER,
        in the schema credkit or else beside the table; the last one drops it. A hash
        that a login changes meanwhile is left to the login, and counted. Run an
        interrupted command again. It needs SELECT on the columns, UPDATE on the hashes,
        and CREATE on the schema of the leases.

        The password comes from the file that PGPASSFILE names. Servers on other
        machines must have a trusted certificate (sslmode=verify-full), unless sslmode
        is set.
        docs/migrating-from-md5.md tells more.
        """
    }

    private static let environmentText = """
        CREDKIT_BACKEND           the keychain's backend: auto, secret-service or vault
        CREDKIT_VAULT             the path of the vault
        CREDKIT_PASSPHRASE        the passphrase of the vault
        CREDENTIALS_DIRECTORY     systemd's folder with credkit.key and
                                  credkit.passphrase
        CREDKIT_ALLOW_CORE_DUMPS  1 permits core dumps, and debuggers of the same user,
                                  which are denied otherwise
        CREDKIT_KERNELS           the kernels of this process, such as avx2, portable or
                                  reference
        NO_COLOR                  anything but an empty text turns colors off
        http_proxy, https_proxy, all_proxy, no_proxy
                                  proxies, as curl reads them
        XDG_DATA_HOME             the folder of the vault; ~/.local/share by default
        XDG_STATE_HOME            the folder of sessions and rollback marks;
                                  ~/.local/state by default
        XDG_CACHE_HOME            the folder of cached responses; ~/.cache by default
        DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR
                                  the session bus with the Secret Service
        """

    private static let exitCodesText = """
        \(ExitStatus.table)

        upgrade ends with 65 if a record cannot be read, or a weak hash cannot be
        upgraded before the next login. audit ends with 65 if a record cannot be read,
        and with --fail-on-weak with 1 if a hash is weak.

        base64 and checksums end with 1 for failed input or output, as the tools that
        they replace do.
        """

    /// The schemes that are known to this program, in lines of 80 characters.
    private static var formatsText: String {
        var lines = [""]
        for scheme in SchemeArgument.names {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = "  \(scheme)"
            } else if line.utf8.count + scheme.utf8.count < 78 {
                lines[lines.count - 1] += ", \(scheme)"
            } else {
                lines[lines.count - 1] += ","
                lines.append("  \(scheme)")
            }
        }
        return """
            New hashes are those of 'credkit hash'; argon2id is the one for new programs.

            Verified are hashes of these schemes, in the forms of all tools that write them:
            \(lines.joined(separator: "\n"))

            'credkit inspect' tells the scheme of a hash and what is weak about it.
            Hexadecimal digits alone do not tell it: declare it with --as.
            docs/hash-formats.md describes all forms.
            """
    }
}
