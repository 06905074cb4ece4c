// swift-tools-version: 6.2
// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Builds programs that depend on the library alone. `script/test-linkage` builds and checks them.
let package = Package(
    name: "LinkageTest",
    dependencies: [
        .package(name: "CredKit", path: "../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "LinkageTest",
            dependencies: [.product(name: "CredKit", package: "CredKit")]
        ),
        .executableTarget(
            name: "KeychainLinkageTest",
            dependencies: [
                .product(name: "CredKit", package: "CredKit"),
                .product(name: "CredKitKeychain", package: "CredKit"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
