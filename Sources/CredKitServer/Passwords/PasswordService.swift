// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit

/// Hashes and verifies passwords in a server with asynchronous code.
///
/// ```swift
/// let passwords = try PasswordService(context: PasswordContext())
///
/// let record = try await users.passwordHash(of: name)           // nil for a user that does not exist
/// switch try await passwords.verify(password, against: record, account: name, clientAddress: address) {
/// case .match(rehashed: let newer?):
///     // Only if the stored hash is still `record`: the password may have been changed meanwhile.
///     try await users.replacePasswordHash(record, by: newer, of: name)
/// case .match: break
/// case .mismatch: throw .unauthorized
/// }
/// ```
///
/// - Computations run on their own threads, never on the pool that `async` functions share. The cores and the memory
///   budget limit how many run at once. Those that wait share a core where that was measured to be faster: PBKDF2, bcrypt,
///   SHA-crypt, and scrypt in the memory of each.
/// - A computation that would have to wait for too long is refused at once with ``CredKit/PasswordError/busy``: answer 503 and
///   the header Retry-After with ``Configuration/waitLimit`` then. The clients take turns, so that none waits for all
///   computations of another. If a kind of hash takes over 100 ms, one client address never has all cores: the others do not
///   wait for its computations.
/// - A cancelled task leaves the queue, or ends its computation. Cancel it when the client has gone; many frameworks do not.
/// - A user who does not exist takes as long as one who does, and so does a hash that is weaker than the policy; see
///   ``verify(_:against:account:clientAddress:)``.
///
/// This service does not count attempts: limit them by user and by address.
public actor PasswordService {
    /// The limits of a service.
    public struct Configuration: Sendable, Hashable {
        /// The memory of all computations that run at once. Default: 256 MiB. A single hash that needs more is over the
        /// limit.
        public var memory = MemorySize.mebibytes(256)

        /// The number of cores on which computations run. Default: those on which the process may run. Use fewer in a container
        /// that has a smaller share of the CPU.
        public var concurrency = Processors.available

        /// The longest wait for what waits already. A computation whose turn is expected to come later, by the measured times of
        /// all that waits before it, is refused. What runs is waited for besides. Default: 2 seconds.
        public var waitLimit = Duration.seconds(2)

        /// The maximum number of waiting computations. Default: 1024.
        public var queueLimit = 1024

        /// The maximum number of waiting computations of one client address, which may be that of a school. Default: 64.
        public var queueLimitPerClient = 64

        /// The maximum number of waiting computations of one account. Default: 8.
        public var queueLimitPerAccount = 8

        /// Whether to hide which users exist. Where user names are public anyway, turning this off saves the additional
        /// work.
        public var hidesUnknownUsers = true

        /// What a client is told that is refused.
        var retryAfter: Duration { max(waitLimit, .seconds(1)) }

        /// Creates a configuration with the default values.
        public init() {}
    }

    let context: PasswordContext
    nonisolated let configuration: Configuration
    var queue: ComputationQueue
    var waiting: [Int: Waiting] = [:]
    /// The cores on which something has run so far.
    var cores: [Int: SharedCore] = [:]
    var lastJob = 0
    /// The group of the kind of hashes on which all wrong passwords wait.
    private var group: LaneGroup?
    private(set) var costModel = CostModel()
    var kinds = HashKinds()
    /// By the order of the passwords' length.
    var rejectionIntervals: [Int: RejectionInterval] = [:]
    /// The number of calls of ``prepare(for:)``, the last of which counts.
    var preparations = 0
    let clock: StoreClock

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - context: The policy, limits and keys. Its memory limit is lowered to the memory budget.
    ///   - configuration: The limits of the service.
    ///   - clock: The clock that measures waits. Tests can pass a clock of their own.
    /// - Throws: ``CredKit/PasswordError/overLimit`` if hashes by the policy need more memory than the budget,
    ///   ``CredKit/PasswordError/invalidParameters`` for a concurrency below 1, or a limit below 0.
    public init(
        context: PasswordContext,
        configuration: Configuration = Configuration(),
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(PasswordError) {
        guard configuration.concurrency > 0, configuration.waitLimit >= .zero,
            min(
                configuration.queueLimit,
                configuration.queueLimitPerClient,
                configuration.queueLimitPerAccount
            ) >= 0
        else {
            throw .invalidParameters("the concurrency must be at least 1, and the limits at least 0")
        }
        self.context = try context.limited(toMemory: configuration.memory.bytes)
        self.configuration = configuration
        self.clock = StoreClock(clock)
        queue = ComputationQueue(
            ComputationQueue.Limits(
                memory: configuration.memory.bytes,
                concurrency: configuration.concurrency,
                waiting: configuration.queueLimit,
                waitingPerClient: configuration.queueLimitPerClient,
                waitingPerAccount: configuration.queueLimitPerAccount,
                seconds: configuration.waitLimit / .seconds(1)
            )
        )
        group = self.context.laneGroup(verifying: nil)
    }

    /// Hashes a password; see `PasswordContext.hash(_:)`.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - clientAddress: The client for which it is hashed: see ``ClientAddress``. `nil` for what the program does itself.
    /// - Returns: The hash's text.
    /// - Throws: ``CredKit/PasswordError``, for example ``CredKit/PasswordError/busy``, and
    ///   ``CredKit/PasswordError/cancelled`` if the task is cancelled before the computation starts or, with
    ///   `Argon2Implementation.vectorized`, during it.
    public func hash(
        _ password: some SecretInput & Sendable,
        clientAddress: String?
    ) async throws(PasswordError) -> String {
        try context.checkLength(of: password)
        let context = context
        let cost = context.cost(of: nil, passwordByteCount: password.withSecretBytes { $0.count })
        let job = ComputationQueue.Job(
            memory: context.memoryByteCount(verifying: nil),
            seconds: costModel.expectedSeconds(of: cost),
            client: clientAddress,
            group: context.laneGroup(verifying: nil)
        )
        return try await run(job) { interruption in
            Result { () throws(PasswordError) in
                try PasswordContext(context, interruption: interruption).hash(password)
            }
        }.get()
    }

    /// Verifies a password against a user's stored hash.
    ///
    /// While ``Configuration/hidesUnknownUsers`` is on, a mismatch takes the same time for all users: for one who does not exist,
    /// for any stored hash, and for a malformed one. A hash by the policy is computed in all cases, or the part of one by which a
    /// stored hash is cheaper, based on measured times of each kind of hash. If the table has other kinds than that of the
    /// policy, mismatches then wait, without computing, for a multiple of at least three times the dearest. The kinds are those
    /// that were verified since the start, and those of ``prepare(for:)``. A password that the scheme of the stored hash does
    /// not support is also a mismatch.
    ///
    /// On a machine that others keep busy, a dear verification can need a multiple more than a cheap one, and a client that
    /// sends other logins meanwhile can see for how long its turn was taken.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - hash: The stored text; `nil` for a user who does not exist.
    ///   - account: The posted user name, whether the user exists or not; `nil` if there is none.
    ///   - clientAddress: The client that sent the password: see ``ClientAddress``. `nil` for what the program does itself.
    /// - Returns: The result, and a new hash if the stored one should be replaced.
    /// - Throws: ``CredKit/PasswordError``: ``CredKit/PasswordError/busy`` at once;
    ///   ``CredKit/PasswordError/passwordTooLong``, which is the same for every user;
    ///   ``CredKit/PasswordError/cancelled`` if the task is cancelled before the computation has ended; or the error of an
    ///   invalid stored hash.
    public func verify(
        _ password: some SecretInput & Sendable,
        against hash: String?,
        account: String?,
        clientAddress: String?
    ) async throws(PasswordError) -> PasswordVerification {
        // The error for a password that is too long is the same for every user, so it can be thrown without delay.
        try context.checkLength(of: password)
        let begin = clock.elapsed
        let hash = hash.map { text in
            Result { () throws(PasswordError) in try PasswordHash(text, limits: context.limits) }
        }
        let (start, report) = try await verification(
            of: password,
            against: hash,
            equalizesTiming: configuration.hidesUnknownUsers,
            group: group(verifying: hash),
            account: account,
            clientAddress: clientAddress,
            begin: begin
        )
        if let hash = report.compared { kinds.insert(hash, in: context) }
        reservePlace()
        // The rest of the report is best freed before the delay.
        let answer = report.answer
        if case .success(.match) = answer { return try answer.get() }
        try await delayRejection(since: start, passwordByteCount: password.withSecretBytes { $0.count })
        return try answer.get()
    }

    /// Runs a verification when the queue accepts it, and records the times that it measured.
    ///
    /// - Returns: `begin`, later by the time for which the computation waited for its turn; and its result.
    func verification(
        of password: some SecretInput & Sendable,
        against hash: Result<PasswordHash, PasswordError>?,
        equalizesTiming: Bool,
        group: LaneGroup?,
        account: String? = nil,
        clientAddress: String? = nil,
        begin: Duration? = nil
    ) async throws(PasswordError) -> (start: Duration, report: VerificationReport) {
        let begin = begin ?? clock.elapsed
        let job = VerificationJob(
            context: context,
            hash: hash,
            equalizesTiming: equalizesTiming,
            costModel: costModel
        )
        let computation = ComputationQueue.Job(
            memory: job.memoryByteCount,
            seconds: job.expectedSeconds(for: password),
            client: clientAddress,
            account: account,
            group: group
        )
        // Parsing a hash takes time, which an unknown user does not need.
        let preparation = clock.elapsed - begin
        let (start, report, isCancelled) = try await run(computation) { [clock] interruption in
            (clock.elapsed, job.run(password, interruption), interruption.isRaised)
        }
        // The additional work may be missing.
        guard !isCancelled else { throw .cancelled }
        costModel.record(report)
        return (start - preparation, report)
    }

    /// Decides by the dearest kind of the table whether one client leaves a core to the others, and which verifications share
    /// one: a rule that depended on the single hash would show its kind.
    func reservePlace() {
        let policy = costModel.expectedSeconds(of: context.cost(of: nil, passwordByteCount: 0))
        let dearest = kinds.dearest(passwordByteCount: 0, in: context, costModel)
        queue.reservesPlace = dearest?.seconds ?? policy > 0.1
        group = context.laneGroup(verifying: dearest?.hash)
        // A cheaper kind of other lanes would take turns with those beside it, which would then end later than beside an unknown
        // user.
        if dearest == nil, !kinds.allAdvance(in: group, context, costModel) { group = nil }
    }

    /// Returns what a verification can share a core with. If it is hidden who exists, all can, with any hash.
    func group(verifying hash: Result<PasswordHash, PasswordError>?) -> LaneGroup? {
        guard !configuration.hidesUnknownUsers else { return group }
        return hash.flatMap { try? $0.get() }.flatMap { context.laneGroup(verifying: $0) }
    }

    /// Returns a SCRAM verifier of a password.
    func verifier(
        of password: some SecretInput & Sendable,
        iterations: SCRAM.Iterations,
        clientAddress: String?
    ) async throws(PasswordError) -> SCRAM.Verifier {
        // One core computes some three million iterations a second.
        let job = ComputationQueue.Job(
            memory: 0,
            seconds: Double(iterations.count) / 3_000_000,
            client: clientAddress
        )
        let verifier = try await run(job) { _ in
            Result { () throws(SCRAM.Error) in try SCRAM.Verifier(password: password, iterations: iterations)
            }
        }
        do throws(SCRAM.Error) {
            return try verifier.get()
        } catch {
            throw .passwordNotAllowed
        }
    }

    /// Returns how long a client should wait whose password would be refused now; `nil` if it would be accepted.
    func unavailability(account: String, clientAddress: String) -> Duration? {
        queue.rejects(client: clientAddress, account: account) ? configuration.retryAfter : nil
    }
}
