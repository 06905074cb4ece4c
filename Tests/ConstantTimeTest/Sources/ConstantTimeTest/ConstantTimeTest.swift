// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CConstantTime
internal import CredKit
internal import Glibc

/// Tests whether execution time depends on secrets. Run by `script/constant-time`.
///
///     ConstantTimeTest secrets                  runs all functions over secrets, under valgrind
///     ConstantTimeTest plant FAULT              plants a fault that valgrind must report
///     ConstantTimeTest encode-strings COUNT     for valgrind to count allocations
///     ConstantTimeTest timing COUNT [same]      Welch's t-test; of two equal classes with `same`
@main
struct ConstantTimeTest {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.dropFirst().first) {
        case ("secrets", nil): try secrets()
        case ("plant", let fault?) where plant(fault): break
        case ("encode-strings", let count?): encodeStrings(Int(count) ?? 0)
        case ("timing", let count?):
            TimingTest.run(count: Int(count) ?? 0, same: arguments.last == "same")
        default: complain("usage: ConstantTimeTest secrets|plant|encode-strings|timing …", status: 64)
        }
    }

    private static func secrets() throws {
        guard ct_runs_under_valgrind() else { complain("this mode needs valgrind", status: 64) }
        let test = SecretsTest()
        try test.run()
        print("kernels:", ct_kernels().map { String(cString: $0) } ?? "none")
        print("Argon2:", ct_argon2_kernels().map { String(cString: $0) } ?? "none")
        print("checked:", test.checked.joined(separator: ", "))
        if test.hasFailed { exit(1) }
    }

    /// Returns false if there is no such fault.
    private static func plant(_ fault: String) -> Bool {
        let text = Memory(Array(repeating: "QUJD".utf8, count: 16).joined())
        let bytes = Memory(count: 48)
        text.makeSecret()
        switch fault {
        case "table-decoder":
            _ = ct_table_decode(text.start, text.count / 4, bytes.start)
        case "early-exit-compare":
            _ = ct_early_exit_compare(text.start, bytes.start, bytes.count)
        case "argon2-addresses":
            // Argon2d's addresses depend on the password, and so do those of the second half of Argon2id.
            _ = ct_argon2_slices(false, 1, 2)
        case "argon2-second-half":
            _ = ct_argon2_slices(true, 2, 3)
        default:
            return false
        }
        return true
    }

    private static func encodeStrings(_ count: Int) {
        let bytes = [UInt8](repeating: 0x5A, count: 4096)
        var characters = 0
        for _ in 0..<count { characters += Base64.standard.encode(bytes).utf8.count }
        print(characters)
    }
}
