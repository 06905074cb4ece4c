// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit

/// Hashes and verifies passwords for a server with asynchronous code.
///
/// ```swift
/// let passwords = try PasswordService(hasher: PasswordHasher())
///
/// let record = try await users.passwordHash(of: name)           // nil for a user that does not exist
/// switch try await passwords.verify(password, against: record) {
/// case .match(upgraded: let newer?): try await users.setPasswordHash(newer, of: name)
/// case .match: break
/// case .mismatch: throw .unauthorized
/// }
/// ```
///
/// - Computations run on threads of their own, never on the pool that `async` functions share, and only so many at once
///   as there are cores and the memory budget allows.
/// - When too many wait, ``CredKit/PasswordError/busy`` is thrown at once: answer 503 then. Whatever is not refused is
///   computed in the order in which it came.
/// - A user who does not exist takes as long as one who does, and so does a hash that is weaker than the policy; see
///   ``verify(_:against:)``.
///
/// What this does not do is to count attempts: limit those by user and by address.
public actor PasswordService {
    /// How much a service takes on.
    public struct Configuration: Sendable, Hashable {
        /// The memory of all computations that run at once, in bytes; 256 MiB. A single hash that needs more is over
        /// the limit.
        public var memoryByteCount = 256 << 20

        /// The most computations that run at once; as many as there are cores online; fewer are better in a container that has
        /// less of their time.
        public var concurrency = Processors.count

        /// The most that wait for their turn; 256. At 20 ms a hash and two cores, the last of them waits 2.6 s.
        public var queueLimit = 256

        /// Whether it is a secret which users exist. Where it is none, since names are public anyway, turning this
        /// off saves the work of answering slowly.
        public var hidesUnknownUsers = true

        /// The values above.
        public init() {}
    }

    private let hasher: PasswordHasher
    private let configuration: Configuration
    private var admission: Admission
    private var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    private var times = CostTimes()

    /// A service.
    ///
    /// - Parameters:
    ///   - hasher: The policy, limits and keys. Its limit for memory is lowered to the budget's.
    ///   - configuration: How much it takes on.
    /// - Throws: ``CredKit/PasswordError/overLimit`` when hashes by the policy need more than the budget,
    ///   ``CredKit/PasswordError/invalidParameters`` for a concurrency below 1 or a queue below 0.
    public init(
        hasher: PasswordHasher,
        configuration: Configuration = Configuration()
    ) throws(PasswordError) {
        guard configuration.concurrency > 0, configuration.queueLimit >= 0 else {
            throw .invalidParameters("the concurrency must be at least 1, and the queue limit at least 0")
        }
        self.hasher = try hasher.limited(toMemory: configuration.memoryByteCount)
        self.configuration = configuration
        admission = Admission(
            memoryByteCount: configuration.memoryByteCount,
            concurrency: configuration.concurrency,
            queueLimit: configuration.queueLimit
        )
    }

    /// A new hash of a password; see `PasswordHasher.hash(_:)`.
    ///
    /// - Parameter password: The password.
    /// - Returns: The hash's text.
    /// - Throws: ``CredKit/PasswordError``, among others ``CredKit/PasswordError/busy``, and
    ///   ``CredKit/PasswordError/cancelled`` when the task is cancelled before its turn.
    public func hash(_ password: some SecretInput & Sendable) async throws(PasswordError) -> String {
        let hasher = hasher
        try hasher.checkLength(of: password)
        return try await run(memory: hasher.memoryByteCount(verifying: nil)) {
            Result { () throws(PasswordError) in try hasher.hash(password) }
        }.get()
    }

    /// Whether a user's stored hash is of a password.
    ///
    /// As long as ``Configuration/hidesUnknownUsers`` is on, a mismatch takes as long for a user who does not exist, for
    /// a stored hash that is weaker than the policy, and for one that cannot be read, as for one by the policy: the
    /// difference is spent on work of the policy's scheme, by what each kind of hash was measured to take. A password
    /// that the stored hash's scheme cannot have is a mismatch, too. Hashes that take *longer* than the policy's
    /// cannot be hidden so; let the policy's cost be no lower than that of the strongest hashes of the table. With the
    /// schemes of crypt(3) built on SHA and MD5 a long password takes longer; where the table has such hashes, a lower
    /// ``CredKit/PasswordLimits/passwordByteCount``, 128 for instance, bounds by how much.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - hash: The stored text; `nil` for a user who does not exist.
    /// - Returns: The answer, and a new hash where the stored one should be replaced.
    /// - Throws: ``CredKit/PasswordError``: ``CredKit/PasswordError/busy`` at once,
    ///   ``CredKit/PasswordError/passwordTooLong`` for every user alike, ``CredKit/PasswordError/cancelled`` when the
    ///   task is cancelled before its turn; what is wrong with the stored hash.
    public func verify(
        _ password: some SecretInput & Sendable,
        against hash: String?
    ) async throws(PasswordError) -> PasswordVerification {
        // Every user alike is told that a password is too long, and nobody waits for that.
        try hasher.checkLength(of: password)
        let job = VerificationJob(
            hasher: hasher,
            hash: hash,
            isEqualizing: configuration.hidesUnknownUsers,
            times: times
        )
        let report = try await run(memory: job.memoryByteCount) { job.run(password) }
        times.record(report)
        return try report.answer.get()
    }

    /// How many computations run and wait now.
    var load: (running: Int, waiting: Int) { (admission.running, admission.waiting.count) }

    /// Runs a computation in its turn on a thread of its own.
    private func run<Value: Sendable>(
        memory: Int,
        _ body: @escaping @Sendable () -> Value
    ) async throws(PasswordError) -> Value {
        try await enter(memory: memory)
        defer { leave(memory: memory) }
        return try await ComputationThread.run(body)
    }

    private func enter(memory: Int) async throws(PasswordError) {
        guard !Task.isCancelled else { throw .cancelled }
        switch admission.enter(memory: memory) {
        case .admitted: return
        case .refused: throw .busy
        case .queued(let ticket):
            let isAdmitted = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    waiting[ticket] = continuation
                    // It may have come before there was anything to cancel.
                    if Task.isCancelled { giveUp(ticket) }
                }
            } onCancel: {
                Task { await giveUp(ticket) }
            }
            guard isAdmitted else { throw .cancelled }
        }
    }

    private func leave(memory: Int) {
        for ticket in admission.leave(memory: memory) {
            waiting.removeValue(forKey: ticket)?.resume(returning: true)
        }
    }

    private func giveUp(_ ticket: Int) {
        guard let continuation = waiting.removeValue(forKey: ticket) else { return }
        let admitted = admission.giveUp(ticket)
        continuation.resume(returning: false)
        // Whoever stood behind may have waited for nothing but the order.
        for ticket in admitted { waiting.removeValue(forKey: ticket)?.resume(returning: true) }
    }
}
