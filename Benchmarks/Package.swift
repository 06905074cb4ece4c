// swift-tools-version: 6.2
// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that nobody who depends on CredKit sees it. Run by `script/bench`.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "CredKit", path: "..", traits: [])
    ],
    targets: [
        // What the library is measured against, in C.
        .systemLibrary(name: "CBaselineOpenSSL", path: "Sources/CBaselineOpenSSL", pkgConfig: "libcrypto"),
        .target(name: "CBaseline", dependencies: ["CBaselineOpenSSL"]),
        .executableTarget(
            name: "CredKitBenchmarks",
            dependencies: ["CBaseline", .product(name: "CredKit", package: "CredKit")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
