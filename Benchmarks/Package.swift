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
        .systemLibrary(name: "CBaselineSodium", path: "Sources/CBaselineSodium", pkgConfig: "libsodium"),
        .systemLibrary(name: "CBaselineArgon2", path: "Sources/CBaselineArgon2", pkgConfig: "libargon2"),
        .target(name: "CBaseline", dependencies: ["CBaselineOpenSSL", "CBaselineSodium", "CBaselineArgon2"]),
        .executableTarget(
            name: "CredKitBenchmarks",
            dependencies: [
                "CBaseline", .product(name: "CredKit", package: "CredKit"),
                .product(name: "CredKitServer", package: "CredKit"),
                .product(name: "CredKitKeychain", package: "CredKit"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
