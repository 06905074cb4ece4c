// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTestSupport
import Testing

/// Locks that several programs of an account share.
struct ActivityLockTests {
    /// The message is that of logins, renewals and moves whose lock another program holds for too long.
    @Test func messageNamesTheLockAndSaysWhatToDo() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let activity = ActivityLock.Activity.renewal(service: "https://school.example", account: "alice")
        let held = try await ActivityLock.acquire(activity, in: folder, timeout: .zero)
        var failure: KeychainError?
        do throws(KeychainError) {
            let second = try await ActivityLock.acquire(activity, in: folder, timeout: .zero)
            second.release()
        } catch {
            failure = error
        }
        held.release()
        #expect(failure?.code == .busy)
        let message = failure?.message ?? ""
        let start = "another program is renewing this login, and holds the lock \(folder)/renewal-"
        #expect(message.hasPrefix(start), "\(message)")
        #expect(message.hasSuffix(".lock: try again when it has ended"), "\(message)")
        let later = try await ActivityLock.acquire(activity, in: folder, timeout: .zero)
        later.release()
    }
}
