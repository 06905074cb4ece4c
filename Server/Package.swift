// swift-tools-version: 6.2
// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The scripts that check set this, as for the root package: a warning is then an error.
let checks = Context.environment["CREDKIT_CHECKS"] == "1"

/// `script/build` sets this, as for the root package: the server is compiled for size.
let isRelease = Context.environment["CREDKIT_RELEASE"] == "1"

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (checks ? [.treatAllWarnings(as: .error)] : [])

func credKit(_ product: String) -> Target.Dependency { .product(name: product, package: "CredKit") }
func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }

// A package of its own, so that packages which depend on CredKit fetch no web framework. It uses products alone.
let package = Package(
    name: "CredKitServerCommand",
    products: [.executable(name: "credkit-server", targets: ["CredKitServerCommand"])],
    dependencies: [
        .package(name: "CredKit", path: "..", traits: [.defaults]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // libqrencode, which is loaded when the first QR code is drawn.
        .target(name: "CCredKitQREncode", path: "Sources/CQREncode", cSettings: [.define("_GNU_SOURCE")]),
        .executableTarget(
            name: "CredKitServerCommand",
            dependencies: [
                "CCredKitQREncode",
                credKit("CredKit"), credKit("CredKitPostgreSQL"),
                credKit("CredKitServer"), credKit("_CredKitTerminal"), credKit("_CredKitPSL"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                nio("NIOConcurrencyHelpers"), nio("NIOCore"), nio("NIOPosix"), nio("NIOTLS"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings + (isRelease ? [.unsafeFlags(["-Osize"])] : [])
        ),
        // What docs/frameworks.md and docs/passkeys.md print, as a program.
        .executableTarget(
            name: "HummingbirdExample",
            dependencies: [
                credKit("CredKit"), credKit("CredKitServer"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                nio("NIOCore"),
            ],
            path: "Examples/Hummingbird",
            swiftSettings: settings
        ),
        // They also start credkit.
        .testTarget(
            name: "CredKitServerCommandTests",
            dependencies: [
                "CredKitServerCommand", "HummingbirdExample", credKit("CredKit"), credKit("CredKitServer"),
                credKit("CredKitTesting"), credKit("_CredKitTerminal"), credKit("_CredKitTestSupport"),
                credKit("credkit"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                nio("NIOConcurrencyHelpers"), nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
