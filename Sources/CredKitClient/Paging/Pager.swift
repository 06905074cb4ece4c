// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import HTTPTypes

/// Requests the pages of a list one by one, as a program needs them.
///
/// ```swift
/// let pager = session.pager(of: .allStudents)
/// while let page = try await pager.next() { print(page.elements) }
/// pager.reset()                                     // from the first page again
/// ```
///
/// Any number of tasks can use a pager. Pages are requested one after another, and each is returned once. All pages
/// belong to one user: if another user logs in, ``next()`` throws ``ClientError/sessionExpired`` until ``reset()``.
public final class Pager<Element: Decodable & Sendable>: Sendable {
    /// A page of the list.
    public typealias Page = PagedEndpoint<Element>.Page

    private struct State {
        var progress: PageProgress
        var ids = RecentElementIDs()
        /// The user of the first page.
        var user: Int?
        /// The number of resets, so that late pages of earlier rounds are recognized.
        var round = 0
        var turns = TurnQueue()
        /// The request of the page that is under way, also before it has begun.
        var work: CancellableWork?
    }

    private let session: LoginSession
    private let cachePolicy: CachePolicy
    let list: PagedEndpoint<Element>
    private let state: Lock<State>

    init(_ list: PagedEndpoint<Element>, in session: LoginSession, cachePolicy: CachePolicy) {
        self.cachePolicy = cachePolicy
        self.session = session
        self.list = list
        state = Lock(State(progress: PageProgress(list.paging)))
    }

    /// Whether there may be more pages: `true` until the last page has been received.
    public var hasMore: Bool { state.withLock { $0.progress.next != nil } }

    /// Starts again from the first page, as the user who is then logged in. Calls of ``next()`` that have not returned
    /// yet throw ``ClientError/cancelled``; their pages are dropped.
    public func reset() {
        let old = state.withLock { state in
            defer { state = State(progress: PageProgress(list.paging), round: state.round &+ 1) }
            return state
        }
        old.work?.cancel()
        old.turns.cancelAll()
    }

    /// Requests the next page. After an error, the same page can be requested again.
    ///
    /// - Returns: The page, which may be empty; `nil` after the last one.
    /// - Throws: A ``ClientError``: those of ``LoginSession/send(_:in:cachePolicy:progress:)``; ``ClientError/repeatedPage``,
    ///   ``ClientError/tooManyPages`` and ``ClientError/pageLinkRefused`` for lists that have no end or lead elsewhere;
    ///   ``ClientError/sessionExpired`` if the user of the first page is not logged in any more.
    public func next() async throws(ClientError) -> Page? {
        let round = try await begin()
        defer { end(round) }
        do throws(ClientError) {
            return try await request(round)
        } catch {
            // After a reset, neither a late page nor its error concerns the program.
            throw state.withLock { $0.round == round } ? error : .cancelled
        }
    }

    private func request(_ round: Int) async throws(ClientError) -> Page? {
        guard let (position, user, work) = try prepare(round) else { return nil }
        let first = try firstURL()
        let url = list.url(of: position, in: first)
        let endpoint = list.contentsEndpoint()
        let (response, source) = try await work.run {
            [session, cachePolicy] () async throws(ClientError) -> (
                Endpoint<PageContents<Element>>.Response, HTTPURL
            ) in
            try await session.send(endpoint, to: url, as: user, cachePolicy: cachePolicy)
        }
        let facts = try list.facts(of: response, from: source, in: first)
        let elements = response.value.elements
        let ids = list.identify.map { elements.map($0) }
        return try state.withLock { (state) throws(ClientError) -> Page in
            guard state.round == round else { throw ClientError.cancelled }
            guard session.userNumber == user else { throw LoginSession.otherUser }
            try state.progress.advance(facts)
            state.user = user
            var new = elements
            if let ids { new = zip(ids, elements).filter { state.ids.insert($0.0) }.map(\.1) }
            return Page(elements: new, number: state.progress.pageCount, total: facts.total)
        }
    }

    private func firstURL() throws(ClientError) -> HTTPURL {
        if let url = list.url { return url }
        return try session.url(of: list.endpoint)
    }

    /// Returns the next page's position, the user who may request it, and the request, which a reset cancels from now on;
    /// `nil` after the last page.
    private func prepare(
        _ round: Int
    ) throws(ClientError) -> (PageProgress.Position, user: Int, CancellableWork)? {
        try state.withLock { (state) throws(ClientError) in
            guard state.round == round else { throw ClientError.cancelled }
            guard let position = state.progress.next else { return nil }
            guard state.progress.pageCount < list.maximumPageCount else {
                throw ClientError.tooManyPages("the list has more than \(list.maximumPageCount) pages")
            }
            guard list.endpoint.isRepeatable else {
                throw ClientError.invalidRequest(
                    "invalid request: its body cannot be sent again for each page"
                )
            }
            let work = CancellableWork()
            state.work = work
            return (position, state.user ?? session.userNumber, work)
        }
    }

    // MARK: One page at a time

    /// Waits until no page is under way, and returns the number of the round.
    private func begin() async throws(ClientError) -> Int {
        let turn = SharedOutcome<Void, ClientError>()
        let (round, isFirst) = state.withLock { ($0.round, $0.turns.enter(turn)) }
        guard !isFirst else { return round }
        do throws(ClientError) {
            try await turn.value()
        } catch {
            let hadTurn = state.withLock { $0.round == round && !$0.turns.withdraw(turn) }
            // It was this call's turn when it was cancelled.
            if hadTurn { end(round) }
            throw error
        }
        return round
    }

    /// Lets the next call begin.
    private func end(_ round: Int) {
        state.withLock { $0.round == round ? $0.turns.leave() : nil }?.give(.success(()))
    }
}

extension Pager: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the path of the list. Cursors and queries may be secrets, so they are left out.
    public var description: String { "Pager(\(list.endpoint.method.rawValue) \(list.endpoint.path))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without cursors.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .class)
    }
}

/// Calls that run one after another, in the order in which they came.
struct TurnQueue: Sendable {
    /// Whether a call is running.
    private var isBusy = false
    private var waiting: [SharedOutcome<Void, ClientError>] = []

    /// Adds a call, and returns whether it can run at once. Otherwise it waits for its turn.
    mutating func enter(_ turn: SharedOutcome<Void, ClientError>) -> Bool {
        defer { isBusy = true }
        if isBusy { waiting.append(turn) }
        return !isBusy
    }

    /// Ends the running call, and returns the turn of the next one.
    mutating func leave() -> SharedOutcome<Void, ClientError>? {
        guard !waiting.isEmpty else {
            isBusy = false
            return nil
        }
        return waiting.removeFirst()
    }

    /// Removes a call that waits, and returns whether it did.
    mutating func withdraw(_ turn: SharedOutcome<Void, ClientError>) -> Bool {
        guard let index = waiting.firstIndex(where: { $0 === turn }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Cancels all calls that wait.
    func cancelAll() {
        for turn in waiting { turn.give(.failure(.cancelled)) }
    }
}

/// What tells an element of a list apart from others. Texts are compared as bytes: Unicode would take different IDs for
/// equal.
struct ElementID: Hashable, Sendable {
    private let value: any Hashable & Sendable

    init(_ value: some Hashable & Sendable) {
        if let text = value as? String { self.value = Array(text.utf8) } else { self.value = value }
    }

    static func == (left: Self, right: Self) -> Bool { AnyHashable(left.value) == AnyHashable(right.value) }

    func hash(into hasher: inout Hasher) { AnyHashable(value).hash(into: &hasher) }
}

/// The IDs of the latest elements, so that an endless list does not take endless memory.
struct RecentElementIDs: Sendable {
    /// The minimum number of IDs that are remembered once so many were seen; at most twice as many are.
    private let limit: Int
    private var recent: Set<ElementID> = []
    private var older: Set<ElementID> = []

    init(limit: Int = 100_000) { self.limit = limit }

    /// Remembers an ID, and returns whether it is new.
    mutating func insert(_ id: ElementID) -> Bool {
        guard !older.contains(id), recent.insert(id).inserted else { return false }
        if recent.count >= limit { (older, recent) = (recent, []) }
        return true
    }
}
