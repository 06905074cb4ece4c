// swift-tools-version: 6.2
// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Tests whether execution time depends on secrets. `script/constant-time` builds and runs it.
let package = Package(
    name: "ConstantTimeTest",
    dependencies: [
        .package(name: "CredKit", path: "../..", traits: [])
    ],
    targets: [
        .target(name: "CConstantTime", cSettings: [.unsafeFlags(["-Wall", "-Wextra"])]),
        .executableTarget(
            name: "ConstantTimeTest",
            dependencies: ["CConstantTime", .product(name: "CredKit", package: "CredKit")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
