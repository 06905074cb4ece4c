// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CConstantTime
internal import CredKit
internal import Glibc

/// Measures whether the time of CredKit's functions differs between two classes of inputs, beside functions whose
/// time does.
enum TimingTest {
    /// More is taken for a difference.
    private static let threshold = 4.5
    private static let runs = 3

    private struct Entry {
        let contender: ct_contender
        /// Whether its time must not differ.
        let isConstant: Bool
        var results: [ct_result] = []

        var quietRuns: Int { results.count { $0.t < threshold } }
    }

    nonisolated(unsafe) private static let output = Memory(count: 4096)
    nonisolated(unsafe) private static var answer = false
    private static let key = Legacy.HMACMD5.Key("a key")

    private static func makeEntries() -> [Entry] {
        [
            entry("decode 64 characters", 64, ct_prepare_text, decode),
            entry("decode 1024 characters", 1024, ct_prepare_text, decode),
            entry("encode 48 bytes", 48, ct_prepare_bytes, encode),
            entry("compare 32 bytes", 2 * 32, ct_prepare_pair, compare),
            entry("compare 1024 bytes", 2 * 1024, ct_prepare_pair, compare),
            entry("HMAC-MD5 of 64 bytes", 64, ct_prepare_bytes, authenticate),
            entry(
                "table-driven decoder, 64 characters",
                64,
                ct_prepare_text,
                ct_run_table_decode,
                isConstant: false
            ),
            entry(
                "table-driven decoder, 1024 characters",
                1024,
                ct_prepare_text,
                ct_run_table_decode,
                isConstant: false
            ),
            entry(
                "early-exit compare, 32 bytes",
                2 * 32,
                ct_prepare_pair,
                ct_run_early_exit_compare,
                isConstant: false
            ),
        ]
    }

    private static func entry(
        _ name: StaticString,
        _ length: Int,
        _ prepare: @escaping @convention(c) (UnsafeMutablePointer<UInt8>?, Int, Bool) -> Void,
        _ run: @escaping @convention(c) (UnsafePointer<UInt8>?, Int) -> Void,
        isConstant: Bool = true
    ) -> Entry {
        let name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        return Entry(
            contender: ct_contender(name: name, length: length, prepare: prepare, run: run),
            isConstant: isConstant
        )
    }

    private static let decode: @convention(c) (UnsafePointer<UInt8>?, Int) -> Void = { input, length in
        let text = UnsafeBufferPointer(start: input, count: length).span
        _ = try? output.write { try Base64.standard.decode(text, into: &$0) }
    }

    private static let encode: @convention(c) (UnsafePointer<UInt8>?, Int) -> Void = { input, length in
        let bytes = UnsafeBufferPointer(start: input, count: length).span
        _ = output.write { Base64.standard.encode(bytes, into: &$0) }
    }

    private static let compare: @convention(c) (UnsafePointer<UInt8>?, Int) -> Void = { input, length in
        let pair = UnsafeBufferPointer(start: input, count: length).span
        let half = length / 2
        answer = ConstantTime.areEqual(pair.extracting(..<half), pair.extracting(half...))
    }

    private static let authenticate: @convention(c) (UnsafePointer<UInt8>?, Int) -> Void = { input, length in
        let message = UnsafeBufferPointer(start: input, count: length).span
        let code = Legacy.HMACMD5.authenticationCode(for: message, using: key)
        answer = code.isEmpty
    }

    /// Measures everything three times, in turn. With `same`, both classes are random, and nothing can differ.
    static func run(count: Int, same: Bool) throws {
        guard count > 0 else { complain("usage: ConstantTimeTest timing COUNT [same]", status: 64) }
        ct_pin()
        var entries = makeEntries()
        for run in 1...runs {
            for index in entries.indices {
                let result = withUnsafePointer(to: entries[index].contender) {
                    ct_measure($0, count, same)
                }
                entries[index].results.append(result)
                print("run \(run):", describe(entries[index], result))
                fflush(nil)
            }
        }
        print("kernels:", ct_kernels().map { String(cString: $0) } ?? "none")
        var hasFailed = false
        for entry in entries {
            let isExpected = entry.isConstant || same ? entry.quietRuns >= 2 : entry.quietRuns == 0
            hasFailed = hasFailed || !isExpected
            let name = String(cString: entry.contender.name)
            let verdict = "\(entry.quietRuns) of \(runs) runs under \(threshold)"
            print("\(isExpected ? "as it should be" : "NOT AS IT SHOULD BE"): \(name): \(verdict)")
        }
        if hasFailed { exit(1) }
    }

    private static func describe(_ entry: Entry, _ result: ct_result) -> String {
        func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
        let name = String(cString: entry.contender.name)
        return "\(name): |t| = \(rounded(result.t)) of \(result.count) timings, "
            + "means \(rounded(result.means.0)) and \(rounded(result.means.1)) ticks"
    }
}
