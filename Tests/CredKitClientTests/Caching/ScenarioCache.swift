// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import HTTPTypes

@testable import CredKitClient

/// A cache in memory that does what the rules say, with a clock of its own.
struct ScenarioCache {
    private var clock = ScenarioDate.start
    private var entries: [CacheEntry] = []
    private var rules = CacheRules(
        secretFields: Set([HTTPField.Name("X-Token")].compactMap(\.self)),
        digest: { $0.reversed() }
    )
    /// The request to send in the background.
    private var refresh: (request: CacheRequest, sending: CacheSending)?

    /// What a caller sees.
    private struct Result {
        var kind: String
        var head: HTTPResponse?
        var body: Range<Int64>?
        var wasKept: Bool?
        var refreshes = false
    }

    mutating func run(_ step: String) throws(ScenarioProblem) {
        let segments = ScenarioMessage.split(step, at: " => ")
        if segments.count == 1 {
            try change(by: step.split(separator: " ").map(String.init))
            return
        }
        let result = try answer(segments[0], script: Array(segments[1..<segments.count - 1]))
        try compare(result, with: try ScenarioMessage(segments[segments.count - 1], now: clock))
    }

    /// Moves the clock, sets an option, or compares the number of stored responses.
    private mutating func change(by words: [String]) throws(ScenarioProblem) {
        if words == ["offline"] {
            rules.servesStaleOffline = true
        } else if words.count == 2, words[0] == "entries", let count = Int(words[1]) {
            guard entries.count == count else { throw ScenarioProblem("\(entries.count) are stored") }
        } else if words.count == 1, let seconds = Int64(words[0]) {
            clock += seconds
        } else {
            throw ScenarioProblem("not a step")
        }
    }

    private mutating func answer(_ text: String, script: [String]) throws(ScenarioProblem) -> Result {
        if text == "refresh" {
            guard let refresh else { throw ScenarioProblem("nothing is to be refreshed") }
            self.refresh = nil
            return try send(refresh.request, sending: refresh.sending, script: script)
        }
        let (request, policy) = try request(text)
        switch rules.decide(request, stored: stored(request.url), policy: policy, at: UnixTime(clock)) {
        case .notCached:
            guard script.isEmpty else { throw ScenarioProblem("nothing was sent") }
            return Result(kind: "notCached")
        case .use(let answer, let sending):
            guard script.isEmpty else {
                throw ScenarioProblem("nothing was sent, but answered from the cache")
            }
            refresh = sending.map { (request, $0) }
            return Self.result(answer, refreshes: sending != nil)
        case .send(let sending): return try send(request, sending: sending, script: script)
        }
    }

    private func request(_ text: String) throws(ScenarioProblem) -> (CacheRequest, CachePolicy) {
        let message = try ScenarioMessage(text, now: clock)
        var target = "/"
        var policy = CachePolicy.default
        for word in message.words.dropFirst() {
            switch word {
            case "reload": policy = .reload
            case "revalidate": policy = .revalidate
            case "onlyIfCached": policy = .onlyIfCached
            case "noStore": policy = .noStore
            default: target = word
            }
        }
        guard let name = message.words.first, let method = HTTPRequest.Method(name),
            let url = try? HTTPURL(target.hasPrefix("/") ? "https://school.example\(target)" : target)
        else { throw ScenarioProblem("not a request: \(text)") }
        return (CacheRequest(method: method, url: url, headers: message.headers), policy)
    }

    private mutating func send(
        _ request: CacheRequest,
        sending: CacheSending,
        script: [String]
    ) throws(ScenarioProblem) -> Result {
        var script = script
        if let first = script.first, first.hasPrefix("sends ") {
            let fields = sending.fields.map { "\($0.name.rawName): \($0.value)" }.sorted()
            let sent = fields.isEmpty ? "nothing" : fields.joined(separator: " ; ")
            let expected = ScenarioMessage.expanded(first.dropFirst("sends ".count), now: clock)
            guard sent == expected else { throw ScenarioProblem("sends \(sent)") }
            script.removeFirst()
        }
        guard let text = script.first else { throw ScenarioProblem("a request was sent") }
        let sent = UnixTime(clock)
        var message = try ScenarioMessage(text, now: clock)
        clock += message.number("delay") ?? 0
        message = try ScenarioMessage(text, now: clock)
        guard let code = message.words.first.flatMap(Int.init) else {
            guard message.words.first == "fails", script.count == 1 else {
                throw ScenarioProblem("not a response")
            }
            let answer = rules.fallback(after: .unreachable, of: sending, to: request, at: UnixTime(clock))
            return answer.map { Self.result($0) } ?? Result(kind: "error")
        }
        var head = HTTPResponse(status: .init(code: code), headerFields: message.headers)
        if !message.fields.contains(where: { $0.name == .date }) {
            head.headerFields[.date] = ScenarioDate.text("0", now: clock)
        }
        let outcome = rules.receive(
            head,
            to: request,
            sent: sending,
            stored: stored(request.url),
            times: ExchangeTimes(request: sent, response: UnixTime(clock))
        )
        let wasKept = apply(outcome, bodyLength: message.number("body") ?? 10)
        guard script.count == 1 || outcome.isRepeated else { throw ScenarioProblem("one request was sent") }
        switch outcome.reply {
        case .received: return Result(kind: "network", head: head, wasKept: wasKept)
        case .stored(let answer): return Self.result(answer)
        case .sendAgain(let sending):
            return try send(request, sending: sending, script: Array(script.dropFirst()))
        }
    }

    private mutating func apply(_ outcome: CacheOutcome, bodyLength: Int64) -> Bool {
        entries.removeAll { outcome.removals.contains($0) || outcome.invalidated.contains($0.url) }
        for update in outcome.updates {
            entries = entries.map { $0 == update.old ? update.new : $0 }
        }
        guard let entry = outcome.storing?.completed(bodyLength: bodyLength) else { return false }
        entries.append(entry)
        return true
    }

    private func stored(_ url: HTTPURL) -> [CacheEntry] { entries.filter { $0.url == url } }

    private static func result(_ answer: CacheAnswer, refreshes: Bool = false) -> Result {
        Result(kind: "\(answer.use)", head: answer.head, body: answer.body, refreshes: refreshes)
    }

    private func compare(_ result: Result, with expected: ScenarioMessage) throws(ScenarioProblem) {
        guard expected.words.first == result.kind else { throw ScenarioProblem(result.kind) }
        let fields = result.head?.headerFields ?? [:]
        if expected.words.contains("kept") != (result.wasKept == true), result.kind == "network" {
            guard !expected.words.contains("kept") && !expected.words.contains("unkept") else {
                throw ScenarioProblem(result.wasKept == true ? "kept" : "unkept")
            }
        }
        guard expected.words.contains("refresh") == result.refreshes else {
            throw ScenarioProblem(result.refreshes ? "refreshes" : "does not refresh")
        }
        if let status = expected.number("status"), result.head?.status.code != Int(status) {
            throw ScenarioProblem("status \(result.head?.status.code ?? 0)")
        }
        if let age = expected.text("age"), fields[.age] ?? "none" != age {
            throw ScenarioProblem("age \(fields[.age] ?? "none")")
        }
        if let range = expected.text("range") {
            let body = result.body.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "none"
            guard range == body else { throw ScenarioProblem("range \(body)") }
        }
        for (name, value) in expected.fields where fields[name] != value {
            throw ScenarioProblem("\(name): \(fields[name] ?? "none")")
        }
    }
}

extension CacheOutcome {
    fileprivate var isRepeated: Bool { if case .sendAgain = reply { true } else { false } }
}
