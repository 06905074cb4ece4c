// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

extension LoginServer {
    /// Returns the files of the users and their keys, to read them again when they have changed.
    ///
    /// - Parameters:
    ///   - users: The users file.
    ///   - codes: The file with the keys of one-time codes.
    ///   - accounts: Gets what is read.
    /// - Returns: The files.
    func reloadedFiles(
        users: FileArgument,
        codes: FileArgument?,
        into accounts: ServerAccounts
    ) -> ReloadedFiles {
        ReloadedFiles(name: "users file", label: "users", files: [users] + [codes].compactMap { $0 }) {
            let writeCount = accounts.writeCount
            let newUsers = try ServerUsers(reading: users)
            let newCodes = try codes.map {
                try ServerOneTimeCodes(reading: $0, users: newUsers, isFormer: accounts.hadUser)
            }
            // A user who was renamed would need no code any more.
            if let codes, newCodes?.leftOut.isEmpty == false, !newUsers.names.allSatisfy(accounts.hadUser) {
                throw CommandFailure(
                    .malformed,
                    "\(codes.quotedForMessage): it has keys of removed users, and there are new users; change both files together"
                )
            }
            return { replaceUsers(of: accounts, by: newUsers, newCodes, readAfter: writeCount) }
        }
    }

    private func replaceUsers(
        of accounts: ServerAccounts,
        by users: ServerUsers,
        _ codes: ServerOneTimeCodes?,
        readAfter writeCount: Int
    ) -> ReloadedFiles.Result {
        let changed = accounts.replaceAll(by: users, codes, readAfter: writeCount)
        if let codes, !codes.leftOut.isEmpty {
            settings.log.note(
                .warning,
                "reload",
                "the keys of one-time codes of \(codes.leftOut.count) removed users are left out; remove their lines"
            )
        }
        metrics.setUsers(users.count)
        let statesSubject = settings.scram.map { $0.statesSubject || $0.replacesVerifiers } ?? false
        let kinds = SCRAM.MockVerifiers.Kind.counted(in: users.credentials)
        if let mocks = settings.scram?.mocks, !mocks.matches(kinds, statesSubject: statesSubject) {
            settings.log.note(
                .warning,
                "reload",
                "the kinds of mock verifiers are not those of the users any more, so that users who do not exist can be told "
                    + "apart until the server is restarted with a new --mock-key-file"
            )
        }
        if settings.scram == nil, users.verifierFunctions.contains(.sha256) {
            settings.log.note(
                .warning,
                "reload",
                "there are users with SCRAM verifiers, but the server was started without SCRAM: restart it"
            )
        }
        return .init(message: "\(users.count) users, \(changed.count) changed or removed") {
            // The next reload must not wait for it.
            Task { await preparePasswords(for: users.credentials) }
            // A session of a user who is not in the file is refused in any case. A server that stops ends the others first.
            var rest = await Task { await revoke(changed) }.value
            guard !rest.isEmpty else { return }
            settings.log.note(
                .error,
                "reload",
                "the sessions of \(rest.count) changed or removed users cannot be ended now; it is tried again each second"
            )
            Task {
                while !rest.isEmpty {
                    try await Task.sleep(for: .seconds(1))
                    rest = await revoke(rest)
                }
                settings.log.note(.info, "reload", "the sessions of all changed or removed users were ended")
            }
        }
    }

    /// Makes wrong passwords for all users take as long.
    func preparePasswords(for credentials: [StoredCredential]) async {
        guard !settings.mechanisms.isDisjoint(with: [.form, .page]) else { return }
        do throws(PasswordError) {
            guard let warning = try await passwords.prepare(for: credentials) else { return }
            settings.log.note(.warning, "configuration", warning)
        } catch {
            settings.log.note(
                .warning,
                "configuration",
                "the times of the users' hashes cannot be measured now, so that the first wrong passwords can show who exists: \(error)"
            )
        }
    }

    /// Ends the sessions of users, of some at a time. Returns those for whom that failed.
    private func revoke(_ names: [String]) async -> [String] {
        let sessions = service.sessions
        return await withTaskGroup(of: String?.self) { group in
            var (failed, rest) = ([String](), names[...])
            func addTask() {
                guard let name = rest.popFirst() else { return }
                group.addTask {
                    do throws(LoginServerError) {
                        try await sessions.revokeAll(of: name)
                        return nil
                    } catch {
                        return name
                    }
                }
            }
            for _ in 0..<16 { addTask() }
            while let failure = await group.next() {
                if let failure { failed.append(failure) }
                addTask()
            }
            return failed
        }
    }
}
