// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import CredKit

/// What the server counts. No label is a text of a client, so that the number of series is bounded.
struct ServerMetrics: Sendable {
    private enum Name {
        static let logins = "credkit_logins_total"
        static let limited = "credkit_rate_limited_total"
        static let requests = "credkit_http_request_duration_seconds"
        static let inFlight = "credkit_http_requests_in_flight"
        static let reloads = "credkit_reloads_total"
        static let users = "credkit_users"
        static let expiry = "credkit_certificate_expiry_timestamp_seconds"
        static let start = "process_start_time_seconds"
    }

    /// What a rate limit counts.
    enum Limit: String, CaseIterable {
        /// Attempts to log in, by account and by client address.
        case login
        /// Other requests, by client address.
        case request
    }

    let registry = MetricRegistry()
    private let requestsInFlight: Meter

    init(startedAt start: UnixTime = .now) {
        registry.declare(Name.logins, .counter, "Logins by mechanism and outcome.")
        registry.declare(Name.limited, .counter, "Requests refused by a rate limit.")
        registry.declare(
            Name.requests,
            .histogram,
            "Time from the head of a request to its answer, in seconds."
        )
        registry.declare(Name.inFlight, .gauge, "Requests that are being processed.")
        registry.declare(Name.reloads, .counter, "Attempts to reload changed files.")
        registry.declare(Name.users, .gauge, "Users in the users file.")
        registry.declare(
            Name.expiry,
            .gauge,
            "Time at which the certificate in use expires, in seconds since 1970."
        )
        registry.declare(Name.start, .gauge, "Time at which the process started, in seconds since 1970.")
        requestsInFlight = Meter(label: Name.inFlight, dimensions: [], factory: registry)
        Meter(label: Name.start, dimensions: [], factory: registry).set(start.seconds)
        // A rate over a series needs the 0 before its first event.
        for limit in Limit.allCases { countLimited(limit, by: 0) }
    }

    /// Declares the series of the mechanisms that the server has.
    func begin(_ mechanisms: Set<ServerMechanism>) {
        for mechanism in mechanisms {
            for outcome in LoggedLogin.Outcome.allCases {
                count(LoggedLogin(mechanism: mechanism, outcome: outcome), by: 0)
            }
        }
    }

    func count(_ login: LoggedLogin, by amount: Int = 1) {
        let labels = [("mechanism", login.mechanism.rawValue), ("outcome", login.outcome.rawValue)]
        Counter(label: Name.logins, dimensions: labels, factory: registry).increment(by: amount)
    }

    func countLimited(_ limit: Limit, by amount: Int = 1) {
        Counter(label: Name.limited, dimensions: [("limit", limit.rawValue)], factory: registry)
            .increment(by: amount)
    }

    func countReload(of file: String, succeeded: Bool) {
        let labels = [("file", file), ("outcome", succeeded ? "succeeded" : "failed")]
        Counter(label: Name.reloads, dimensions: labels, factory: registry).increment()
    }

    func setUsers(_ count: Int) { Meter(label: Name.users, factory: registry).set(count) }

    func setCertificateExpiry(_ time: UnixTime) {
        Meter(label: Name.expiry, factory: registry).set(time.seconds)
    }

    func requestBegan() { requestsInFlight.increment() }

    /// Records a request that was answered.
    ///
    /// - Parameters:
    ///   - endpoint: The path, if it is an endpoint of the server; anything else is counted as `other`.
    ///   - status: The status of the answer.
    ///   - duration: The time it took.
    func requestEnded(_ endpoint: String?, status: Int, duration: Duration) {
        requestsInFlight.decrement()
        let labels = [("code", "\(min(max(status / 100, 1), 5))xx"), ("endpoint", endpoint ?? "other")]
        Timer(label: Name.requests, dimensions: labels, factory: registry)
            .recordNanoseconds(Int64(clamping: Int(duration / .nanoseconds(1))))
    }
}
