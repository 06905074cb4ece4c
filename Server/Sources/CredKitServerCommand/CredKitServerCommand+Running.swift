// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

extension CredKitServerCommand {
    func execute() async throws {
        let stamps = FileStamp.all(of: [self.users, otpFile, tlsCert, tlsKey].compactMap { $0 })
        let kernels = Argon2Implementation.selectedKernels ?? "libsodium"
        if let name = Argon2Implementation.rejectedKernels {
            let message =
                "the \(name) kernels of Argon2 compute wrong hashes on this machine; in their place: \(kernels)"
            log.note(.warning, "configuration", message)
        }
        let (server, users, tls, shared) = try await ServerPreparation(self, isCheck: false).parts()
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

    /// Returns the settings of a server, without those of what it reads.
    var settings: LoginServer.Settings {
        var settings = LoginServer.Settings()
        settings.usesBareMinutes = minuteChallenge
        settings.isFirstStart = firstStart
        settings.hasTLS = tlsCert != nil
        settings.allowsPasswords = listen.isLoopback || settings.hasTLS
        settings.allowsPasswordsInURLs = allowGetLogin
        settings.sessionLifetime = .seconds(sessionTTL)
        settings.attempts = attempts
        settings.proxies = proxyOptions.proxies
        settings.page = page.settings
        settings.page?.hasPasskeys = passkeyOptions.areGiven
        settings.log = log
        return settings
    }

    /// Whether the file of one-time codes is still to be created, for users who set them up.
    var createsCodes: Bool {
        guard let otpFile, accountOptions.accountChanges, !state.isShared else { return false }
        return !ServerMocks.exists(otpFile)
    }

    /// Where credentials of a users file are kept that replace others.
    var replacing: ServerAccounts.Replacing {
        if replaceHashes, let users { return .inFile(UsersFile(name: users), log) }
        return replaceVerifiers ? .inMemory : .nowhere
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
