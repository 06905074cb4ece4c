// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The form of the lines on standard error.
enum LogFormat: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// For people: `ADDRESS METHOD PATH STATUS`.
    case text
    /// A JSON object on each line.
    case json
}
