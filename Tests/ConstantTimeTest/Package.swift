// swift-tools-version: 6.2
// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Whether time tells anything of secrets: `script/constant-time` builds it and looks.
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
