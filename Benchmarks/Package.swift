// swift-tools-version: 6.2
// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// `script/test-deep` sets this. `script/bench` needs neither the target nor the packages that only this target imports.
let checksNames = Context.environment["CREDKIT_NAME_CLASHES"] == "1"

// A separate package, so that packages which depend on CredKit do not see it. Run by `script/bench`.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "CredKit", path: "..", traits: ["Client"]),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
    ],
    targets: [
        // The C code that the library is compared with.
        .systemLibrary(name: "CBaselineOpenSSL", path: "Sources/CBaselineOpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CBaselineSodium", path: "Sources/CBaselineSodium", pkgConfig: "libsodium"),
        .systemLibrary(name: "CBaselineArgon2", path: "Sources/CBaselineArgon2", pkgConfig: "libargon2"),
        .systemLibrary(name: "CBaselineCurl", path: "Sources/CBaselineCurl", pkgConfig: "libcurl"),
        .target(
            name: "CBaseline",
            dependencies: ["CBaselineOpenSSL", "CBaselineSodium", "CBaselineArgon2", "CBaselineCurl"],
            linkerSettings: [.linkedLibrary("crypt")]
        ),
        .executableTarget(
            name: "CredKitBenchmarks",
            dependencies: [
                "CBaseline", "RequestLoad", .product(name: "CredKit", package: "CredKit"),
                .product(name: "CredKitServer", package: "CredKit"),
                .product(name: "CredKitKeychain", package: "CredKit"),
                .product(name: "CredKitClient", package: "CredKit"),
                .product(name: "CredKitTesting", package: "CredKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        // Counts and times requests in the same way in both programs.
        .target(
            name: "RequestLoad",
            dependencies: [
                .product(name: "CredKitKeychain", package: "CredKit"),
                .product(name: "CredKitClient", package: "CredKit"),
                .product(name: "CredKitTesting", package: "CredKit"),
            ]
        ),
        // Sends logins to servers: a program of its own, so that its processor time is apart.
        .executableTarget(
            name: "LoginGenerator",
            dependencies: ["CBaselineOpenSSL"],
            linkerSettings: [.linkedLibrary("m")]
        ),
        // The HTTP client that the login client is compared with, in a separate process.
        .executableTarget(
            name: "AsyncHTTPClientProgram",
            dependencies: [
                "RequestLoad", .product(name: "CredKitClient", package: "CredKit"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

if checksNames {
    package.dependencies += [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ]
    // Imports what users import beside CredKit. `script/test-names --programs` writes its sources.
    package.targets.append(
        .target(
            name: "NameClashes",
            dependencies: [
                .product(name: "CredKit", package: "CredKit"),
                .product(name: "CredKitClient", package: "CredKit"),
                .product(name: "CredKitKeychain", package: "CredKit"),
                .product(name: "CredKitServer", package: "CredKit"),
                .product(name: "CredKitPostgreSQL", package: "CredKit"),
                .product(name: "CredKitTesting", package: "CredKit"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        )
    )
}
