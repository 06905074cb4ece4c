// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitSystem
import CredKitTerminal
import Glibc

/// `credkit users`: changes and checks a file of users.
struct UsersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Manage a file of users, as htpasswd does.",
        discussion: """
            For instance:
              printf letmein | credkit users htpasswd set bob --scheme bcrypt
              printf letmein | credkit users htpasswd verify bob

            'set' adds a user, or replaces the hash of one. 'verify' exits with 1 for a mismatch. Each line of the \
            file is NAME:HASH; comments and further fields are kept.

            Apache and nginx do not read Argon2id: use bcrypt, sha512-crypt or yescrypt for them. credkit-server verifies \
            all of them with form and page; scram needs scram-sha-256. A file of --create is readable for you alone: a \
            server's user needs 'chgrp' and 'chmod 640'.
            """
    )

    /// What is done with the file.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case set, delete, verify, list
    }

    @Argument(help: "The file.")
    var file: FileArgument

    @Argument(help: "What to do.")
    var action: Action

    @Argument(help: "The user's name. 'list' takes none.")
    var name: String?

    @Flag(help: "Create the file if there is none, for you alone.")
    var create = false

    @Option(
        help: ArgumentHelp(
            "How long to wait for the file's lock (default: 30s).",
            valueName: "time"
        )
    )
    var timeout: TimeArgument?

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @Flag(help: "For 'verify' and 'list', print JSON (see docs/json.md).")
    var json = false

    @OptionGroup(title: "The new hash, as in 'credkit hash'")
    var hashOptions: UserHashOptions

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    /// The output of `list`.
    private struct Listing: Encodable {
        let name: String
        let scheme: String
        let policy: String?
    }

    /// Schemes that Apache and nginx read, themselves or with Debian's crypt(3).
    private static let webSchemes: Set<PasswordHash.Scheme> = [
        .bcrypt, .apr1, .md5Crypt, .sha256Crypt, .sha512Crypt, .yescrypt, .desCrypt, .ldapSHA,
    ]

    private var users: UserFile { UserFile(name: file) }

    func validate() throws {
        guard (name == nil) == (action == .list) else {
            throw ValidationError(
                action == .list
                    ? "'list' lists all users and takes no name."
                    : "'\(action)' requires the name of the user."
            )
        }
        guard action == .set || !create && !hashOptions.isGiven else {
            throw ValidationError("--create, --scheme and costs are options of 'set'.")
        }
        guard !json || action == .list || action == .verify else {
            throw ValidationError("--json is an option of 'list' and 'verify'.")
        }
        switch action {
        case .set:
            _ = try hashOptions.parameters()
            try checkName()
        case .verify: return try InputSources.check(passwordOptions, others: [file.descriptor])
        case .delete, .list:
            guard !passwordOptions.isGiven else {
                throw ValidationError("'\(action)' reads no password.")
            }
        }
        guard action == .list || file.descriptor == nil else {
            throw ValidationError("'\(action)' replaces the file, which must have a name.")
        }
    }

    /// Rejects the name of a new user that the file could not hold, or that could pass for something else there.
    private func checkName() throws {
        let bytes = name.map(RawArguments.encode) ?? []
        guard (1...255).contains(bytes.count) else {
            throw ValidationError("The name of a user has from 1 to 255 bytes.")
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.isPrintable && $0 != ":" })
        else {
            throw ValidationError("The name of a user must not contain a colon or control characters.")
        }
        guard let first = bytes.first, first != UInt8(ascii: "#"), first != UInt8(ascii: " ") else {
            throw ValidationError("The name of a user must not begin with '#' or a blank, as comments do.")
        }
    }

    func run() throws {
        let name = name.map(RawArguments.encode) ?? []
        switch action {
        case .set: try setHash(of: name)
        case .delete: try delete(name)
        case .verify: try verify(name)
        case .list: try list()
        }
    }

    private func report(_ message: String) {
        if !quiet { StandardStreams.report(message) }
    }

    private func change(_ name: [UInt8], _ body: (inout UserTable) throws -> Bool) throws {
        try users.change(name, timeout: timeout?.duration ?? .seconds(30), body)
    }

    private func setHash(of name: [UInt8]) throws {
        // Fail before the prompt, so that the user does not type the password in vain.
        if try users.current(changing: name) == nil, !create {
            throw CommandFailure(
                users.missing.status,
                (users.missing.message ?? "") + " (--create creates it)"
            )
        }
        let parameters = try hashOptions.parameters()
        let context = try PasswordContext(policy: PasswordPolicy(preferred: parameters))
        // Before the lock, so that others do not wait for a prompt.
        let password = try passwordOptions.read(isNew: true, prompt: prompt(for: name))
        reportLineEnds(in: password)
        let hash = try context.hash(password)
        var isCreated = false
        if create, try users.create() {
            isCreated = true
            report("created \(file.quoted)")
        }
        var count = 0
        var isForWeb = false
        var isUnreadable = false
        try change(name) { table in
            isUnreadable = table.isUnreadable(name)
            let others = table.users.filter { $0.name != name }
            isForWeb = !others.isEmpty && others.allSatisfy { Self.webSchemes.contains($0.hash.scheme) }
            count = table.set(hash, of: name)
            return true
        }
        let user = ShellQuoting.quote(name)
        let replaced = isUnreadable ? "the line of \(user), which could not be read" : "the hash of \(user)"
        report(count == 0 ? "added \(user)" : "replaced \(replaced)")
        if count > 1 { report("removed \(count - 1) further entries of \(user), which did not count") }
        guard !Self.webSchemes.contains(parameters.scheme) else { return }
        let advice = "for them, use --scheme bcrypt, sha512-crypt or yescrypt"
        if isForWeb {
            report(
                "the other users have hashes that Apache and nginx read, but these do not read \(parameters.scheme): "
                    + advice
            )
        } else if isCreated, hashOptions.scheme == nil {
            // The user has not chosen the scheme.
            report("Apache and nginx do not read \(parameters.scheme), credkit-server does: \(advice)")
        }
    }

    private func prompt(for name: [UInt8]) -> String { "Password for \(ShellQuoting.quote(name)): " }

    /// Says if a new password probably has more than was meant: what it ends with cannot be typed.
    private func reportLineEnds(in password: SecretBytes) {
        guard !passwordOptions.raw else { return }
        let (hasLineFeed, endsWithReturn) = password.withSecretBytes { bytes in
            (
                bytes.indices.contains { bytes[$0] == UInt8(ascii: "\n") },
                bytes.count > 0 && bytes[bytes.count - 1] == UInt8(ascii: "\r")
            )
        }
        if hasLineFeed { report("the password contains a line feed (--raw, if it is meant)") }
        if endsWithReturn { report("the password ends with a carriage return (--raw, if it is meant)") }
    }

    private func delete(_ name: [UInt8]) throws {
        let user = ShellQuoting.quote(name)
        guard try users.current(changing: name) != nil else { throw users.missing }
        var count = 0
        try change(name) { table in
            count = table.remove(name)
            return count > 0
        }
        guard count > 0 else {
            throw CommandFailure(.no, quiet ? nil : "\(file.quoted): there is no user \(user)")
        }
        report("removed \(user)" + (count > 1 ? ", who had \(count) entries" : ""))
    }

    private func verify(_ name: [UInt8]) throws {
        let table = try users.read()
        var policy = PasswordPolicy.recommended
        // There is one hash, and nothing else to do.
        policy.argon2Threads = Processors.available
        let context = PasswordContext(verifyingBy: policy, limits: .standard, pepper: nil, legacyKeys: [:])
        let password = try passwordOptions.read(isNew: false, prompt: prompt(for: name))
        let entries = table.entries(name)
        if entries.count > 1 { reportRepeated(name) }
        let isMatch: Bool
        if let user = entries.first, user.hash.scheme != .unusable {
            isMatch = try context.matches(password, user.hash)
        } else {
            isMatch = false
            // As long as for a user of the file, so that the time does not tell who is in it.
            let hashes = table.users.map(\.hash).filter { $0.scheme != .unusable }
            let dearest = hashes.max { $0.estimatedTime < $1.estimatedTime }
            if dearest.flatMap({ try? context.matches(password, $0) }) == nil {
                _ = context.spend(1, on: password)
            }
        }
        let result = isMatch ? "match" : "mismatch"
        try CommandOutput(json: json, quiet: quiet).print(
            ["name": String(decoding: name, as: UTF8.self), "result": result],
            text: result
        )
        guard isMatch else {
            if entries.isEmpty, isatty(STDERR_FILENO) == 1 {
                report("there is no user \(ShellQuoting.quote(name))")
            }
            throw CommandFailure(.no)
        }
    }

    private func list() throws {
        let table = try users.read()
        for name in table.repeatedNames { reportRepeated(name) }
        let listings = table.users.map { user in
            Listing(
                name: String(decoding: user.name, as: UTF8.self),
                scheme: user.absence.map { "\($0)" } ?? SchemeArgument.name(of: user.hash),
                policy: user.absence == nil ? "\(PasswordPolicy.recommended.assess(user.hash))" : nil
            )
        }
        try CommandOutput(json: json, quiet: quiet).print(listings) { user in
            [user.name, user.scheme, user.policy].compactMap { $0 }.joined(separator: "\t")
        }
    }

    private func reportRepeated(_ name: [UInt8]) {
        report(
            "\(file.quotedForMessage): there are several entries of \(ShellQuoting.quote(name)); the first one counts for web "
                + "servers, and credkit-server refuses the file"
        )
    }
}
