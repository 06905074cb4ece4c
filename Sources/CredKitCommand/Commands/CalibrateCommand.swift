// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit calibrate`: the cost that fits a time on this machine.
struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract:
            "Finds the highest cost of a scheme whose hash takes no longer than a time on this machine.",
        discussion: """
            For instance:
              credkit calibrate argon2id --target 100ms --memory 64MiB

            Prints what was measured on standard error, and the costs, as 'credkit hash' takes them, on standard \
            output.
            """
    )

    @Argument(help: ArgumentHelp("The scheme of the hashes.", valueName: "scheme"))
    var schemeArgument: SchemeArgument

    @Option(
        help: ArgumentHelp("The longest that a hash may take (default: 250ms).", valueName: "time"),
        transform: Self.duration
    )
    var target: Duration?

    @Option(help: ArgumentHelp("The most memory for a hash; for argon2id, its memory.", valueName: "size"))
    var memory: MemorySize?

    @Flag(help: "Print one JSON object: scheme, costs, milliseconds, policy.")
    var json = false

    @OptionGroup
    var strayArguments: StrayArguments

    private var scheme: PasswordHash.Scheme { schemeArgument.scheme }

    func validate() throws {
        guard PasswordParameters.availableSchemes.contains(scheme) else {
            let names = PasswordParameters.availableSchemes.map(\.name).joined(separator: ", ")
            throw ValidationError("New hashes of the scheme \(scheme) are not made; these are: \(names).")
        }
    }

    func run() throws {
        var limits = PasswordLimits.standard
        if let memory { limits.memoryByteCount = memory.kibibytes * 1024 }
        let target = target ?? .milliseconds(250)
        limits.seconds = max(limits.seconds, 4 * (target / .seconds(1)))
        let calibration = try PasswordCalibration(
            of: scheme,
            target: target,
            memoryKiB: memory?.kibibytes,
            limits: limits
        )
        for measurement in calibration.measurements { StandardStreams.show("\(measurement)\n") }
        let costs = calibration.parameters.costs.map(\.description).joined(separator: " ")
        if calibration.assessment != .current {
            StandardStreams.report(
                "hashes with these costs are \(calibration.assessment) by the recommended policy"
            )
        }
        let standard = PasswordLimits.standard
        if calibration.parameters.memoryByteCount > standard.memoryByteCount
            || target / .seconds(1) > standard.seconds
        {
            StandardStreams.report(
                "such hashes may need --memory-limit or --time-limit, and PasswordLimits, to be raised"
            )
        }
        guard json else { return try StandardStreams.writeLine(costs) }
        let members = [
            "scheme": scheme.name, "costs": costs, "policy": "\(calibration.assessment)",
            "milliseconds": "\((calibration.time / .milliseconds(1) * 100).rounded() / 100)",
        ]
        try StandardStreams.write(JSONLine(members).bytes)
    }

    /// A time such as `250ms` or `1.5s`.
    private static func duration(_ text: String) throws -> Duration {
        let (digits, unit) = text.hasSuffix("ms") ? (text.dropLast(2), 1.0) : (text.dropLast(1), 1000.0)
        guard text.hasSuffix("s"), let number = Double(digits), number > 0, number * unit <= 600_000 else {
            throw ValidationError("--target takes a time up to 600s, such as 250ms or 1.5s.")
        }
        return .microseconds(Int64(number * unit * 1000))
    }
}
