// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CFuzzer
import Glibc

/// Runs libFuzzer with the target that `CREDKIT_FUZZ_TARGET` names, because libFuzzer passes its own arguments on to
/// the processes that it starts.
@main
enum FuzzDriver {
    private static let target = getenv("CREDKIT_FUZZ_TARGET").flatMap {
        FuzzTarget.named(String(cString: $0))
    }

    static func main() {
        guard target != nil else {
            fatalError("CREDKIT_FUZZ_TARGET must name one of: \(FuzzTarget.all.map(\.name))")
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { data, size in
                FuzzDriver.check(Array(UnsafeBufferPointer(start: data, count: size)))
                return 0
            }
        )
    }

    /// Ends the process if a property does not hold: libFuzzer then saves the input.
    private static func check(_ input: [UInt8]) {
        do {
            try target?.check(input)
        } catch {
            fatalError("property does not hold: \(error)")
        }
    }
}
