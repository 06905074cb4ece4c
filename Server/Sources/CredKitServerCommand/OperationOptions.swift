// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for running a server in production.
struct OperationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The form of the lines on standard error: text, or json for a JSON object on each line.",
            valueName: "format"
        )
    )
    var logFormat = LogFormat.text

    @Option(
        help: ArgumentHelp(
            "Serve metrics for Prometheus at /metrics on an address of this machine.",
            valueName: "address:port"
        )
    )
    var metrics: ListenAddress?

    @Option(
        help: ArgumentHelp(
            """
            The time, from 0 to 300 seconds, in which requests are still accepted after a signal to stop, while \
            /health/ready answers 503.
            """,
            valueName: "seconds"
        )
    )
    var drainDelay = 0

    func validate() throws {
        guard metrics?.isLoopback ?? true else {
            throw ValidationError("--metrics must be an address of this machine, such as 127.0.0.1:9464.")
        }
        guard (0...300).contains(drainDelay) else {
            throw ValidationError("--drain-delay must be from 0 to 300 seconds.")
        }
    }
}
