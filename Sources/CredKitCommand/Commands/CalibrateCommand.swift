// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit calibrate`: finds the cost that fits a time budget on this machine.
struct CalibrateCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Find the highest cost within a time budget.",
        discussion: """
            For instance:
              credkit calibrate argon2id --target 100ms --memory 64MiB

            Prints the measurements on standard error, and the costs on standard output, in the form that \
            'credkit hash' takes.
            """
    )

    @Argument(help: ArgumentHelp("The password hashing scheme.", valueName: "scheme"))
    var schemeArgument: NewHashSchemeArgument

    @Option(
        help: ArgumentHelp("The time budget of one hash (default: 250ms).", valueName: "time"),
        transform: Self.duration
    )
    var target: Duration?

    @Option(
        help: ArgumentHelp(
            "The maximum memory of a hash; for argon2id, the memory it uses.",
            valueName: "size"
        )
    )
    var memory: MemorySizeArgument?

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup
    var strayArguments: UnexpectedArguments

    private var scheme: PasswordHash.Scheme { schemeArgument.scheme }

    /// The output of `--json`.
    private struct Result: Encodable {
        let scheme: String
        let costs: [String: NumberOrText]
        let milliseconds: Double
        let policy: String
    }

    func execute() async throws {
        var limits = PasswordLimits.standard
        if let memory { limits.memory = memory.size }
        let target = target ?? .milliseconds(250)
        limits.computationTime = max(limits.computationTime, target * 4)
        let calibration = try await PasswordCalibration.measure(
            scheme,
            within: target,
            memoryLimit: memory?.size,
            limits: limits
        )
        for measurement in calibration.measurements {
            let costs = SchemeCosts.options(measurement.parameters)
            StandardStreams.show("\(scheme) \(costs): \(Self.milliseconds(measurement.time)) ms\n")
        }
        if calibration.hashStatus != .current {
            StandardStreams.report(
                "the recommended policy rates hashes with these costs as \(calibration.hashStatus)"
            )
        }
        let standard = PasswordLimits.standard
        if calibration.parameters.memory > standard.memory
            || target > standard.computationTime
        {
            StandardStreams.report(
                "such hashes may exceed the default limits: raise --memory-limit or --time-limit, or PasswordLimits"
            )
        }
        let result = Result(
            scheme: scheme.name,
            costs: SchemeCosts.json(calibration.parameters.costs),
            milliseconds: Self.milliseconds(calibration.time),
            policy: "\(calibration.hashStatus)"
        )
        try CommandOutput(json: json).print(result, text: SchemeCosts.options(calibration.parameters))
    }

    private static func milliseconds(_ time: Duration) -> Double {
        (time / .milliseconds(1) * 100).rounded() / 100
    }

    /// Parses a time such as `250ms` or `1.5s`.
    private static func duration(_ text: String) throws -> Duration {
        let (digits, unit) = text.hasSuffix("ms") ? (text.dropLast(2), 1.0) : (text.dropLast(1), 1000.0)
        guard text.hasSuffix("s"), let number = Double(digits), number > 0, number * unit <= 600_000 else {
            throw ValidationError("--target takes a time of at most 600s, such as 250ms or 1.5s.")
        }
        return .microseconds(Int64(number * unit * 1000))
    }
}

/// A scheme that new hashes are made with, which has costs to find.
struct NewHashSchemeArgument: ExpressibleByArgument {
    let scheme: PasswordHash.Scheme

    init?(argument: String) {
        guard let scheme = PasswordParameters.availableSchemes.first(where: { $0.name == argument }) else {
            return nil
        }
        self.scheme = scheme
    }

    static var allValueStrings: [String] { PasswordParameters.availableSchemes.map(\.name) }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
