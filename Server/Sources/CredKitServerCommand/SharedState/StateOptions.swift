// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal
import CredKitPostgreSQL

/// The options that name the state which several servers share.
struct StateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Where to keep what servers must share: memory, for a single server; Redis 7.0 or later at redis://HOST:PORT, \
            rediss://HOST:PORT with TLS, unix:///PATH, or redis+sentinel://HOST:PORT,HOST:PORT/NAME; or PostgreSQL 13 or later at \
            postgresql://USER@HOST:PORT/DATABASE, with the tables of 'credkit-server schema'.
            """,
            valueName: "url"
        )
    )
    var state = Self.memory

    @Option(
        help: ArgumentHelp(
            "A file with a key of at least 32 random bytes, the same for all servers that share the state.",
            valueName: "file"
        )
    )
    var stateKeyFile: FileArgument?

    @Option(help: ArgumentHelp("The user to log in to Redis as (default: the URL's).", valueName: "name"))
    var stateUser: String?

    @Option(help: ArgumentHelp("A file with the password for Redis or PostgreSQL.", valueName: "file"))
    var statePasswordFile: FileArgument?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the authorities of the engine's certificate, in place of the system's.",
            valueName: "file"
        )
    )
    var stateCA: FileArgument?

    @Option(
        help: ArgumentHelp("A PEM file with the certificate chain to present to Redis.", valueName: "file")
    )
    var stateClientCert: FileArgument?

    @Option(help: ArgumentHelp("A PEM file with the private key of --state-client-cert.", valueName: "file"))
    var stateClientKey: FileArgument?

    @Option(
        help: ArgumentHelp(
            """
            The number of servers that share the state. While the engine does not answer, each permits its share of the login \
            attempts.
            """,
            valueName: "n"
        )
    )
    var processes = 1

    @Flag(
        help:
            """
            Connect to Redis on another machine without TLS, or to PostgreSQL as the URL's sslmode says: an attacker on the \
            network can read and change everything.
            """
    )
    var allowInsecureState = false

    private static let memory = "memory"

    /// The servers that may share a state.
    private static let permittedProcesses = 1...1000

    /// Whether the state is shared.
    var isShared: Bool { state != Self.memory }

    /// The descriptors that files are read from, if their numbers are known.
    var descriptors: [Int32] {
        [stateKeyFile, statePasswordFile, stateCA, stateClientCert, stateClientKey].compactMap {
            $0?.descriptor
        }
    }

    func validate() throws {
        guard Self.permittedProcesses.contains(processes) else {
            throw ValidationError("--processes must be from 1 to \(Self.permittedProcesses.upperBound).")
        }
        guard isShared else {
            if let option = optionsOfSharedState.first {
                throw ValidationError("\(option) requires a shared state: give its URL with --state.")
            }
            return
        }
        let address = try address()
        guard stateKeyFile != nil else {
            throw ValidationError("A shared state requires --state-key-file, the same for all servers.")
        }
        switch address {
        case .redis(let address): try validate(address)
        case .postgreSQL: try validatePostgreSQL()
        }
    }

    private func validatePostgreSQL() throws {
        guard stateUser == nil, stateClientCert == nil, stateClientKey == nil else {
            throw ValidationError(
                "--state-user, --state-client-cert and --state-client-key are for Redis; the URL of PostgreSQL has the user, sslcert "
                    + "and sslkey."
            )
        }
        guard stateCA?.descriptor == nil else {
            throw ValidationError("--state-ca must be a file, because libpq reads it for each connection.")
        }
    }

    private func validate(_ address: RedisAddress) throws {
        guard stateUser == nil || address.user == nil else {
            throw ValidationError(
                "The user of Redis is given twice, with --state-user and in the URL of --state."
            )
        }
        guard stateUser ?? address.user == nil || statePasswordFile != nil else {
            throw ValidationError("The user of Redis requires a password: give --state-password-file.")
        }
        guard address.usesTLS || (stateCA ?? stateClientCert ?? stateClientKey) == nil else {
            throw ValidationError(
                "--state-ca, --state-client-cert and --state-client-key require TLS: give a URL that begins with rediss."
            )
        }
        guard (stateClientCert == nil) == (stateClientKey == nil) else {
            throw ValidationError("--state-client-cert and --state-client-key must be given together.")
        }
        guard address.usesTLS || allowInsecureState || address.endpoints.allSatisfy(\.isLoopback) else {
            throw ValidationError(
                "To connect to Redis on another machine, use TLS with a URL that begins with rediss, or give --allow-insecure-state."
            )
        }
    }

    /// The given options that have no meaning without a shared state.
    private var optionsOfSharedState: [String] {
        [
            ("--state-key-file", stateKeyFile != nil), ("--state-user", stateUser != nil),
            ("--state-password-file", statePasswordFile != nil), ("--state-ca", stateCA != nil),
            ("--state-client-cert", stateClientCert != nil), ("--state-client-key", stateClientKey != nil),
            ("--processes", processes != 1), ("--allow-insecure-state", allowInsecureState),
        ]
        .filter(\.1).map(\.0)
    }

    /// The address of the engine. Messages do not repeat the URL, which may contain a password by mistake.
    func address() throws -> StateAddress {
        do throws(RedisAddress.Failure) {
            return try StateAddress(state)
        } catch {
            throw ValidationError("The URL of --state is not valid: \(error.message).")
        }
    }
}

/// The URL of the engine of a shared state.
enum StateAddress {
    case redis(RedisAddress)
    /// The URI, as libpq reads it.
    case postgreSQL(String)

    init(_ text: String) throws(RedisAddress.Failure) {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            self = .redis(try RedisAddress(text))
            return
        }
        guard !PostgreSQLSettings.containsPassword(text) else {
            throw RedisAddress.Failure(
                "it contains a password, which other users can see; use --state-password-file"
            )
        }
        self = .postgreSQL(text)
    }
}
