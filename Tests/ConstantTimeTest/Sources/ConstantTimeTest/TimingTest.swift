// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CConstantTime
internal import Glibc

/// Measures whether the time of CredKit's functions differs between two classes of inputs, together with functions
/// whose time does.
enum TimingTest {
    /// A larger |t| counts as a difference.
    private static let threshold = 4.5
    private static let runs = 3

    /// Measures everything three times, in turn, and ends the process with status 1 if one of CredKit's functions shows
    /// a difference in two runs, or a planted one shows none in one run.
    ///
    /// With `same`, both classes are random, so that nothing can differ.
    static func run(count: Int, same: Bool) {
        guard count > 0 else { complain("usage: ConstantTimeTest timing COUNT [same]", status: 64) }
        ct_pin()
        var quietRuns = Array(repeating: 0, count: Contender.all.count)
        for run in 1...runs {
            for (index, contender) in Contender.all.enumerated() {
                let result = withUnsafePointer(to: contender.measured) { ct_measure($0, count, same) }
                if result.t < threshold { quietRuns[index] += 1 }
                print("run \(run): \(contender.name): \(describe(result))")
                fflush(nil)
            }
        }
        print("kernels:", ct_kernels().map { String(cString: $0) } ?? "none")
        var hasFailed = false
        for (contender, quiet) in zip(Contender.all, quietRuns) {
            let isExpected = contender.isConstant || same ? quiet >= 2 : quiet == 0
            hasFailed = hasFailed || !isExpected
            let verdict = isExpected ? "as it should be" : "NOT AS IT SHOULD BE"
            print("\(verdict): \(contender.name): \(quiet) of \(runs) runs under \(threshold)")
        }
        if hasFailed { exit(1) }
    }

    private static func describe(_ result: ct_result) -> String {
        func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
        let what = result.is_second_order ? "variances" : "means"
        return "|t| = \(rounded(result.t)) of \(result.count) timings, "
            + "\(what) \(rounded(result.means.0)) and \(rounded(result.means.1)) ticks"
    }
}
