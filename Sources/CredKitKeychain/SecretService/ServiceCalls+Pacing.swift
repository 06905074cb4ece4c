// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKitSystem

extension ServiceCalls {
    /// Prepares a change of an item: gives KeePassXC time to save the earlier ones; see ``ChangePacing``.
    ///
    /// The time of waiting is not taken from the call's time for answers.
    func prepareChange() throws(KeychainError) {
        guard let process = try processNumber(),
            SecretServiceDaemon(process: KeyringFile.name(ofProcess: process)) == .keePassXC,
            let time = connection.pacing.withLock({ $0.timeUntilBurst(at: .now) })
        else { return }
        try call.token.wait(for: time)
        try waitUntilIdle(process)
        connection.pacing.withLock { $0.startBurst(at: .now) }
    }

    /// Waits while a thread of a process works: deriving keys and writing the file can take long on a busy machine.
    private func waitUntilIdle(_ process: UInt32) throws(KeychainError) {
        // A process that never rests is not waited for longer.
        let end = ContinuousClock.now + .seconds(10)
        var idleCount = 0
        while idleCount < 3, .now < end {
            idleCount = ProcessActivity.isBusy(process) ? 0 : idleCount + 1
            try call.token.wait(for: .milliseconds(20))
        }
    }
}
#endif
