// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The file of the table.
struct Table: Decodable {
    let cases: [CacheScenario]
}

// Prints the scenarios that differ from the table in the file named by the argument; the exit status is then 1.
let data = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
let problems = try JSONDecoder().decode(Table.self, from: data).cases.compactMap { $0.problem() }
for problem in problems { print(problem) }
exit(problems.isEmpty ? 0 : 1)
