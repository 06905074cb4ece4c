// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// How old a stored response is, and how old it may be, RFC 9111 section 4.2.
///
/// All times are whole seconds, as in the RFC.
struct Freshness: Sendable, Equatable {
    /// How many seconds the response is fresh.
    let lifetime: Int64
    /// The age when the response came.
    let initialAge: Int64
    /// The age now; `nil` if it is unknown, because the clock went back.
    let age: Int64?

    /// The longest lifetime of a response whose server states none, in seconds: a day.
    private static let heuristicLimit: Int64 = 86_400

    /// Whether the response is fresh. One of unknown age is not. Whether it is served is for `use` of
    /// `CacheRules+Deciding`.
    var isFresh: Bool { age.map { $0 < lifetime } ?? false }

    /// Evaluates an entry.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - now: The time.
    init(of entry: CacheEntry, at now: UnixTime) {
        lifetime = Self.lifetime(of: entry)
        let delay = DeltaSeconds.between(entry.requestTime, entry.responseTime)
        let resident = DeltaSeconds.between(entry.responseTime, now)
        let apparent = entry.date.map { max(0, DeltaSeconds.between($0, entry.responseTime)) } ?? 0
        initialAge = min(max(apparent, entry.statedAge + max(0, delay)), DeltaSeconds.maximum)
        age = delay < 0 || resident < 0 ? nil : min(initialAge + resident, DeltaSeconds.maximum)
    }

    /// Whether the age is below the lifetime plus a number of seconds.
    func isYounger(thanLifetimePlus seconds: Int64) -> Bool { age.map { $0 < lifetime + seconds } ?? false }

    /// Section 4.2.1. Freshness information that is malformed or contradicts itself makes a response stale.
    private static func lifetime(of entry: CacheEntry) -> Int64 {
        let control = entry.control
        guard !control.isMalformed else { return 0 }
        switch control.maxAge {
        case .value(let seconds): return seconds
        case .malformed: return 0
        case .absent: break
        }
        // By the server's own clock where it tells the time.
        let date = entry.date ?? entry.responseTime
        let lines = entry.headers[values: .expires]
        if let expires = lines.first {
            guard lines.allSatisfy({ ASCIIText.areEqual($0, expires) }),
                let time = HTTPDate.parse(expires, now: entry.responseTime)
            else { return 0 }
            return max(0, DeltaSeconds.between(date, time))
        }
        guard CacheableStatus.isHeuristic(entry.status.code) || control.isPublic,
            let lastModified = entry.lastModified
        else { return 0 }
        // Section 4.2.2: a tenth of the time without a change.
        let tenth = max(0, DeltaSeconds.between(lastModified, date)) / 10
        return max(0, min(tenth, heuristicLimit))
    }
}
