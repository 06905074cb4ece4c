// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The thread of a ``CallbackServer``, which serves all connections and sleeps in between.
final class CallbackLoop: Sendable {
    private struct State {
        /// Without it the port is closed.
        var listener: LoopbackListener?
        var isStarted = false
        var ending: CallbackEnding?
    }

    /// What a login wants of the thread.
    private struct Assignment: Sendable {
        let limit: Duration
        let judge: @Sendable (CallbackRequest) -> CallbackVerdict
        let notify: @Sendable (CallbackNotice) -> Void
    }

    /// The parameters of the accepted answer.
    let answer = SharedOutcome<[(String, String)], ClientError>()
    /// Given when all connections and the port are closed.
    let end = SharedOutcome<Bool, Never>()
    private let state: Lock<State>
    private let rules: CallbackRules
    private let limits: CallbackLimits

    /// A thread for connections, which has not started.
    init(_ listener: LoopbackListener, _ rules: CallbackRules, _ limits: CallbackLimits) {
        state = Lock(State(listener: listener))
        (self.rules, self.limits) = (rules, limits)
    }

    /// Starts the thread; see ``CallbackServer/answer(within:judging:notify:)``.
    func start(
        within limit: Duration,
        judging judge: @escaping @Sendable (CallbackRequest) -> CallbackVerdict,
        notify: @escaping @Sendable (CallbackNotice) -> Void
    ) throws(ClientError) {
        let listener = state.withLock { state -> LoopbackListener? in
            guard !state.isStarted, state.ending == nil else { return nil }
            state.isStarted = true
            return state.listener
        }
        guard let listener else { throw .cancelled }
        let task = Assignment(limit: limit, judge: judge, notify: notify)
        let isStarted = DetachedThread.start {
            self.run(listener, task)
            self.close()
        }
        guard isStarted else {
            close()
            throw .outOfMemory
        }
    }

    /// Lets the thread tell all browsers that wait how the login ended, and end. Only the first call counts.
    func finish(_ ending: CallbackEnding) {
        let (listener, isStarted) = state.withLock { state in
            if state.ending == nil { state.ending = ending }
            return (state.listener, state.isStarted)
        }
        if isStarted { listener?.wake() } else { close() }
    }

    private func close() {
        let listener = state.withLock { state in
            defer { state.listener = nil }
            return state.listener
        }
        listener?.stop()
        answer.give(.failure(.cancelled))
        end.give(.success(true))
    }

    // MARK: The thread

    private func run(_ listener: LoopbackListener, _ task: Assignment) {
        var deadline = ContinuousClock.now + task.limit
        var connections: [CallbackConnection] = []
        var rejectionCount = 0
        var notices: Set<CallbackNotice> = []
        var (isAnswered, isEnding) = (false, false)
        while true {
            let now = ContinuousClock.now
            let ending = state.withLock { $0.ending }
            if ending != nil, !isEnding {
                isEnding = true
                deadline = now + limits.endingTime
            }
            if let ending {
                for index in connections.indices where connections[index].stage == .waiting {
                    connections[index].send(CallbackPage(ending))
                }
            }
            connections.removeAll { $0.stage == .ended || $0.stage != .waiting && $0.deadline <= now }
            if deadline <= now, isEnding || !isAnswered {
                answer.give(.failure(abandonment(task.limit)))
                return
            }
            var next = isAnswered && !isEnding ? now + .seconds(10) : deadline
            for connection in connections where connection.stage != .waiting {
                next = min(next, connection.deadline)
            }
            // What has arrived before the end is answered, and nothing more is waited for than the last page.
            let isSending = connections.contains { $0.stage == .sending }
            let ready = listener.wait(
                for: connections.map { (connection: $0.socket, interest: $0.interest) },
                atMost: isEnding && !isSending ? .zero : min(next - now, .seconds(10))
            )
            if isEnding, !isSending, !ready.hasNewConnections, !ready.connections.contains(true) { return }
            for index in connections.indices where ready.connections[index] {
                guard let message = connections[index].advance(limits, acceptsForms: rules.acceptsForms)
                else {
                    continue
                }
                switch reply(to: message, task) {
                case .show(let page, let isHead): connections[index].send(page, isHead: isHead)
                case .accept(let parameters):
                    connections[index].waitForEnding()
                    isAnswered = true
                    answer.give(.success(parameters))
                case .reject:
                    connections[index].send(.wrong)
                    rejectionCount += 1
                    if notices.insert(.wrongAnswer).inserted { task.notify(.wrongAnswer) }
                case .tell(let url):
                    connections[index].send(.wrong)
                    if notices.insert(.otherHost(url)).inserted { task.notify(.otherHost(url)) }
                }
            }
            if rejectionCount >= limits.rejectionCount, !isAnswered {
                answer.give(.failure(Self.wrongAnswers))
                return
            }
            if ready.hasNewConnections { accept(from: listener, into: &connections) }
        }
    }

    private func abandonment(_ limit: Duration) -> ClientError {
        let (place, seconds) = ("\(rules.origin)\(rules.path)", limit.components.seconds)
        return .loginAbandoned(
            "the browser brought no answer to \(place) within \(seconds) s: log in again. If the server's page did not lead back, "
                + "its Content-Security-Policy (form-action) may forbid it"
        )
    }

    private static let wrongAnswers = ClientError.loginAbandoned(
        "too many answers came that belong to another login, perhaps from another page: log in again"
    )

    private enum Reply {
        case show(CallbackPage, isHead: Bool)
        case accept([(String, String)])
        case reject
        case tell(url: String)
    }

    private func reply(to message: CallbackConnection.Message, _ task: Assignment) -> Reply {
        switch message {
        case .refused(let page): return .show(page, isHead: false)
        case .request(let request):
            switch rules.decide(request) {
            case .show(let page): return .show(page, isHead: request.method == "HEAD")
            case .reject: return .reject
            case .tell(let url):
                return task.judge(request) == .accept ? .tell(url: url) : .show(.wrong, isHead: false)
            case .judge:
                switch task.judge(request) {
                case .accept: return .accept(request.parameters)
                case .reject: return .reject
                }
            }
        }
    }

    private func accept(from listener: LoopbackListener, into connections: inout [CallbackConnection]) {
        for socket in listener.accept() {
            if connections.count >= limits.connectionCount {
                // Browsers open connections in advance, and port scanners as many as they can: the oldest without a
                // request is closed.
                let oldest =
                    connections.firstIndex { $0.isSilent } ?? connections.firstIndex { $0.stage != .waiting }
                guard let oldest else { continue }
                connections.remove(at: oldest)
            }
            connections.append(
                CallbackConnection(socket, deadline: .now + limits.connectionTime)
            )
        }
    }
}
