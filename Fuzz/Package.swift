// swift-tools-version: 6.2
// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A separate package, so that packages which depend on CredKit do not see it. Run by `script/fuzz`, which
// passes the flags of the sanitizers. The tests of CredKit compile `Harness`, `Targets` and `Replay`
// without them.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "CredKit", path: "..", traits: [.defaults])],
    targets: [
        .systemLibrary(name: "CFuzzer", path: "Sources/CFuzzer"),
        .executableTarget(
            name: "CredKitFuzz",
            dependencies: [
                "CFuzzer",
                .product(name: "CredKit", package: "CredKit"),
                .product(name: "CredKitClient", package: "CredKit"),
                .product(name: "_CredKitCommand", package: "CredKit"),
                .product(name: "CredKitKeychain", package: "CredKit"),
                .product(name: "CredKitServer", package: "CredKit"),
            ],
            path: "Sources",
            sources: ["Driver", "Harness", "Targets"],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
