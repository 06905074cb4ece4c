// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

extension CredKitServerCommand {
    func execute() async throws {
        let clock = try ServerClock(timeZone: timeZone)
        let keyPhrase = keyPhraseOptions.isGiven ? try keyPhraseOptions.read(raw: false) : nil
        let stamps = FileStamp.all(of: [self.users, otpFile, tlsCert, tlsKey].compactMap { $0 })
        let kernels = Argon2Implementation.selectedKernels ?? "libsodium"
        if let name = Argon2Implementation.rejectedKernels {
            let message =
                "the \(name) kernels of Argon2 compute wrong hashes on this machine; in their place: \(kernels)"
            log.note(.warning, "configuration", message)
        }
        let users = try await LoadedUsers(self)
        let tls = try tlsFiles.map { files throws(CommandFailure) in
            try ServerTLS(files, requiresBinding: requireChannelBinding)
        }
        var settings = LoginServer.Settings()
        settings.usesBareMinutes = minuteChallenge
        settings.isFirstStart = firstStart
        settings.hasTLS = tlsCert != nil
        settings.allowsPasswords = listen.isLoopback || settings.hasTLS
        settings.allowsPasswordsInURLs = allowGetLogin
        settings.sessionLifetime = .seconds(sessionTTL)
        settings.attempts = attempts
        settings.proxies = proxyOptions.proxies
        settings.log = log
        settings.mechanisms = try mechanisms(for: users.file)
        let shared = try await sharedState()
        settings.shared = shared
        if settings.mechanisms.contains(.scram) {
            settings.scram = try scramSettings(users, tls, shared?.configuration)
        }
        let server = try LoginServer(
            settings: settings,
            accounts: users.table,
            usesOneTimeCodes: users.usesOneTimeCodes,
            clock: clock,
            keyPhrase: keyPhrase,
            health: ServerHealth(checks: shared.map { [$0.readiness] } ?? [])
        )
        await server.preparePasswords(for: users.credentials)
        let purge = shared.map { shared in Task { await shared.purge(log) } }
        let run = ServerRun(server: server, address: listen, tls: tls, operation: operation) {
            if !quiet { report(server.use) }
        }
        if let file = users.file { server.metrics.setUsers(file.count) }
        try await run.run(
            reloading: [users.reloadedFiles(self, server), tls?.reloadedFiles(server.metrics)].compactMap {
                $0
            },
            since: stamps
        )
        purge?.cancel()
        await shared?.stop()
    }

    /// Connects to the state that several servers share; `nil` for a single server.
    private func sharedState() async throws -> SharedServerState? {
        guard state.isShared else { return nil }
        let shared = try await SharedServerState(state)
        let problems = await shared.problems()
        for problem in problems.dropFirst() { log.note(.error, "configuration", "\(problem)") }
        if let first = problems.first { throw shared.failure(first) }
        return shared
    }

    /// Tells who has logged in by which mechanism, so that an operator sees when the old one can end.
    private func report(_ use: MechanismUse) {
        for count in use.counts {
            log.note(
                .info,
                "summary",
                "\(count.logins) logins by the mechanism \(count.mechanism), of \(count.accounts) users"
            )
        }
    }
}
