// swift-tools-version: 6.2
// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// `script/test` sets this, so that a warning fails our own checks and never a user's build with a
/// newer compiler.
let warningsAsErrors = Context.environment["CREDKIT_WARNINGS_AS_ERRORS"] == "1"

/// `script/constant-time` sets this, so that the kernels tell it which single bits of what secrets become are no secrets.
let declassifies = Context.environment["CREDKIT_CONSTANT_TIME_CHECK"] == "1"

/// `script/sanitize` sets this. It leaves the commands out, which take the longest to build and are not run there.
let sanitizes = ["thread", "address"].contains(Context.environment["CREDKIT_SANITIZER"])

/// `script/fuzz` sets this. It makes the command a library, so that the package in `Fuzz/` can link its parsers.
let fuzzes = Context.environment["CREDKIT_FUZZ"] == "1"

/// `script/test-deep` sets this. It leaves out the tests that need no trait `Server`, which run in a build without it.
let testsServerAlone = Context.environment["CREDKIT_SERVER_TESTS_ALONE"] == "1"

/// `script/build` sets this, for releases of the command. What waits for the network, the keychain or the user is compiled
/// for size; digests, password schemes and tables are not.
let compilesCommandForSize = Context.environment["CREDKIT_RELEASE"] == "1"

/// `script/lib/checks.sh` sets this. The kernels are optimized in debug builds as well, so that the password hashes of tests
/// take a fourth of the time. SwiftPM refuses such flags in packages that depend on this one.
let optimizesKernels = Context.environment["CREDKIT_OPTIMIZED_KERNELS"] == "1"

let commonSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (warningsAsErrors ? [.treatAllWarnings(as: .error)] : [])

/// Only fetched with the trait `Server`; or if no target names them, as when `sanitizes` leaves those out.
let serverPackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    // Hummingbird fetches these two as well.
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
]

let package = Package(
    name: "CredKit",
    products: [
        .library(name: "CredKit", targets: ["CredKit"]),
        .library(name: "CredKitKeychain", targets: ["CredKitKeychain"]),
        .library(name: "CredKitServer", targets: ["CredKitServer"]),
        .library(name: "CredKitPostgreSQL", targets: ["CredKitPostgreSQL"]),
        .library(name: "CredKitClient", targets: ["CredKitClient"]),
        .library(name: "CredKitTesting", targets: ["CredKitTesting", "CredKitVectors"]),
        .executable(name: "credkit", targets: ["CredKitCommand"]),
        .executable(name: "credkit-server", targets: ["CredKitServerCommand"]),
    ],
    traits: [
        .default(enabledTraits: ["Client", "Command", "SecretService"]),
        .trait(
            name: "Client",
            description:
                "The login client over HTTP. Without it and the command nothing is fetched: the rest needs no other package."
        ),
        .trait(
            name: "Command",
            description: "The credkit command.",
            enabledTraits: ["Client"]
        ),
        .trait(
            name: "SecretService",
            description:
                "The desktop's keyring, through libsecret where that is installed. Without it the keychain is the vault."
        ),
        .trait(
            name: "Server",
            description: "The credkit-server command, a login server over Hummingbird. Off by default."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    ] + (sanitizes || fuzzes ? [] : serverPackages),
    targets: [
        // Target names are unique over a whole package graph, hence the prefix.
        .systemLibrary(
            name: "CCredKitOpenSSL",
            path: "Sources/COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CCredKitSodium",
            path: "Sources/CSodium",
            pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"])]
        ),
        .systemLibrary(
            name: "CCredKitCrypt",
            path: "Sources/CCrypt",
            pkgConfig: "libcrypt",
            providers: [.apt(["libcrypt-dev"])]
        ),
        .target(
            name: "CCredKitKernels",
            path: "Sources/CKernels",
            cSettings: [.define("_GNU_SOURCE")]
                + (declassifies ? [.define("CREDKIT_CONSTANT_TIME_CHECK")] : [])
                + (optimizesKernels ? [.unsafeFlags(["-O2"])] : [])
        ),
        .target(name: "CCredKitLinux", path: "Sources/CLinux", cSettings: [.define("_GNU_SOURCE")]),
        // What the operating system offers to all of the above; knows nothing of credentials.
        .target(
            name: "CredKitSystem",
            dependencies: ["CCredKitLinux"],
            swiftSettings: commonSettings + [.strictMemorySafety()]
        ),
        .target(
            name: "CredKit",
            dependencies: [
                "CredKitSystem", "CCredKitOpenSSL", "CCredKitSodium", "CCredKitCrypt", "CCredKitKernels",
            ],
            swiftSettings: commonSettings + [.strictMemorySafety()]
        ),
        .target(name: "CCredKitSecret", path: "Sources/CSecret", cSettings: [.define("_GNU_SOURCE")]),
        .target(
            name: "CredKitKeychain",
            dependencies: [
                "CredKit", "CredKitSystem", "CCredKitLinux",
                .target(name: "CCredKitSecret", condition: .when(traits: ["SecretService"])),
            ],
            swiftSettings: commonSettings + [.strictMemorySafety()]
        ),
        .target(
            name: "CredKitServer",
            dependencies: ["CredKit", "CredKitSystem"],
            swiftSettings: commonSettings + [.strictMemorySafety()]
        ),
        .target(name: "CCredKitPQ", path: "Sources/CPQ", cSettings: [.define("_GNU_SOURCE")]),
        .target(
            name: "CredKitPostgreSQL",
            dependencies: ["CredKitServer", "CredKit", "CredKitSystem", "CCredKitPQ"],
            swiftSettings: commonSettings + [.strictMemorySafety()]
        ),
        .target(name: "CCredKitCurl", path: "Sources/CCurl", cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "CCredKitPSL", path: "Sources/CPSL", cSettings: [.define("_GNU_SOURCE")]),
        .target(
            name: "CredKitClient",
            dependencies: [
                "CredKit", "CredKitKeychain", "CredKitSystem",
                .target(name: "CCredKitCurl", condition: .when(traits: ["Client"])),
                .target(name: "CCredKitOpenSSL", condition: .when(traits: ["Client"])),
                .target(name: "CCredKitPSL", condition: .when(traits: ["Client"])),
                .product(
                    name: "HTTPTypes",
                    package: "swift-http-types",
                    condition: .when(traits: ["Client"])
                ),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Client"])),
            ],
            swiftSettings: commonSettings + [.strictMemorySafety()]
        ),
        // What the commands share. An executable cannot depend on another one.
        .target(
            name: "CredKitTerminal",
            dependencies: [
                "CredKit", "CredKitKeychain", "CredKitSystem",
                .product(
                    name: "ArgumentParser",
                    package: "swift-argument-parser",
                    condition: .when(traits: ["Command", "Server"])
                ),
            ],
            swiftSettings: commonSettings
        ),
        .executableTarget(
            name: "CredKitCommand",
            dependencies: [
                "CredKit", "CredKitKeychain", "CredKitServer", "CredKitClient", "CredKitPostgreSQL",
                "CredKitTerminal",
                "CredKitSystem",
                .product(
                    name: "HTTPTypes",
                    package: "swift-http-types",
                    condition: .when(traits: ["Command"])
                ),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Command"])),
                .product(
                    name: "ArgumentParser",
                    package: "swift-argument-parser",
                    condition: .when(traits: ["Command"])
                ),
            ],
            swiftSettings: commonSettings
        ),
        // Its sources and tests are empty without the trait.
        .executableTarget(
            name: "CredKitServerCommand",
            dependencies: [
                .target(name: "CredKit", condition: .when(traits: ["Server"])),
                .target(name: "CredKitKeychain", condition: .when(traits: ["Server"])),
                .target(name: "CredKitPostgreSQL", condition: .when(traits: ["Server"])),
                .target(name: "CredKitServer", condition: .when(traits: ["Server"])),
                .target(name: "CredKitSystem", condition: .when(traits: ["Server"])),
                .target(name: "CredKitTerminal", condition: .when(traits: ["Server"])),
                .product(
                    name: "ArgumentParser",
                    package: "swift-argument-parser",
                    condition: .when(traits: ["Server"])
                ),
                .product(
                    name: "HTTPTypes",
                    package: "swift-http-types",
                    condition: .when(traits: ["Server"])
                ),
                .product(
                    name: "Hummingbird",
                    package: "hummingbird",
                    condition: .when(traits: ["Server"])
                ),
                .product(
                    name: "HummingbirdTLS",
                    package: "hummingbird",
                    condition: .when(traits: ["Server"])
                ),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOTLS", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Server"])),
                .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Server"])),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Server"])
                ),
                .product(
                    name: "UnixSignals",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Server"])
                ),
            ],
            swiftSettings: commonSettings
        ),
        // Suites that stores and transports must pass, and stand-ins for tests.
        .target(
            name: "CredKitTesting",
            dependencies: [
                "CredKit", "CredKitKeychain", "CredKitServer", "CredKitSystem",
                .target(name: "CredKitClient", condition: .when(traits: ["Client"])),
                .product(
                    name: "HTTPTypes",
                    package: "swift-http-types",
                    condition: .when(traits: ["Client"])
                ),
            ],
            swiftSettings: commonSettings + [.strictMemorySafety()]
        ),
        // Published test vectors. Part of the product CredKitTesting.
        .target(
            name: "CredKitVectors",
            path: "Vectors",
            resources: [.copy("Data")],
            swiftSettings: commonSettings
        ),
        // Servers that are not part of CredKit, for the tests of several modules.
        .target(name: "CredKitTestServers", path: "Tests/TestServers", swiftSettings: commonSettings),
        .executableTarget(
            name: "SecretMemoryProbe",
            dependencies: ["CredKit"],
            path: "Tests/SecretMemoryProbe",
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "CredKitTests",
            dependencies: [
                "CredKit", "CredKitSystem", "CredKitTestServers", "CredKitVectors", "SecretMemoryProbe",
            ],
            exclude: [
                "cross_check.py", "OneTimeCodes/one_time_codes.py", "Passwords/opaque_string.py",
                "SCRAM/preparation.py", "SCRAM/scram_peers.py", "Signing/message_signatures.py",
                "Signing/signature_base.py", "Signing/signatures.py",
            ],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "CredKitSystemTests",
            dependencies: ["CredKitSystem", "CredKitTestServers"],
            swiftSettings: commonSettings
        ),
        .executableTarget(
            name: "KeychainProbe",
            dependencies: ["CredKitKeychain", "CredKit", "CredKitSystem"],
            path: "Tests/KeychainProbe",
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "CredKitKeychainTests",
            dependencies: [
                "CredKitKeychain", "CredKit", "CredKitSystem", "CredKitTestServers", "CredKitTesting",
                "CredKitVectors", "KeychainProbe",
            ],
            exclude: [
                "Vault/crash_test.py",
                "SecretService/fake_service.py",
                "SecretService/keyring_tool.py",
                "Vault/flip_vault.py",
                "Vault/killed_writers.py",
                "Vault/write_vault.py",
                "Importing/make_keyrings.py",
                "Importing/mutated_values.py",
            ],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "CredKitServerTests",
            dependencies: [
                "CredKitServer", "CredKitPostgreSQL", "CredKit", "CredKitSystem", "CredKitTesting",
                "CredKitTestServers",
                "CredKitVectors",
            ],
            exclude: ["Signing/signed_requests.py"],
            swiftSettings: commonSettings
        ),
        // Mechanisms of login from outside of CredKit: the compiler lets them use public symbols only.
        .testTarget(
            name: "MechanismTests",
            dependencies: [
                "CredKitServer", "CredKitClient", "CredKitKeychain", "CredKit", "CredKitTesting",
            ],
            packageAccess: false,
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "CredKitClientTests",
            dependencies: [
                "CredKitClient", "CredKitServer", "CredKitKeychain", "CredKit", "CredKitSystem",
                "CredKitTestServers", "CredKitTesting",
                "CredKitVectors",
            ],
            exclude: [
                "Transfers/download_server.py", "Transport/hostile_server.py", "Transport/idle_server.py",
                "Login/zones.py",
                "LoginSession/login_server.py",
                "Peers/authority.py", "Peers/certificate_server.py", "Peers/children.py",
                "Peers/faulty_proxy.py",
                "Peers/faulty_server.py", "Peers/http2_server.py", "Peers/hung_resolver.py",
                "Peers/oauth_server.py", "Peers/paging_server.py", "Peers/real_server.py",
                "Peers/route.py", "Peers/scram_server.py",
                "Peers/taps.py", "Servers/file_server.py", "Servers/cursor_server.py",
                "Servers/list_server.py",
            ],
            swiftSettings: commonSettings
        ),
        .target(
            name: "CredKitCommandTestSupport",
            dependencies: ["CredKitTestServers"],
            path: "Tests/CommandTestSupport",
            exclude: ["article_server.py", "python_login_client.py", "python_scram_client.py"],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "CredKitCommandTests",
            dependencies: [
                "CredKitCommand", "CredKitCommandTestSupport", "CredKit", "CredKitKeychain", "CredKitServer",
                "CredKitSystem", "CredKitTerminal", "CredKitTestServers",
            ],
            exclude: [
                "Fixtures", "audit_count.py", "interoperability.py", "requirements.txt", "login_server.py",
                "type_keys.py",
            ],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "CredKitServerCommandTests",
            dependencies: [
                "CredKitServerCommand", "CredKitCommand", "CredKitCommandTestSupport", "CredKitSystem",
                "CredKitTestServers",
                .target(name: "CredKit", condition: .when(traits: ["Server"])),
                .target(name: "CredKitServer", condition: .when(traits: ["Server"])),
                .product(
                    name: "ArgumentParser",
                    package: "swift-argument-parser",
                    condition: .when(traits: ["Server"])
                ),
                .product(
                    name: "Hummingbird",
                    package: "hummingbird",
                    condition: .when(traits: ["Server"])
                ),
                .target(name: "CredKitTerminal", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(
                    name: "HTTPTypes",
                    package: "swift-http-types",
                    condition: .when(traits: ["Server"])
                ),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
                .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Server"])),
            ],
            exclude: ["rolling_restart.py"],
            swiftSettings: commonSettings
        ),
        // The targets of the fuzzer, each of which runs over its corpus.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "CredKit", "CredKitClient", "CredKitCommand", "CredKitKeychain", "CredKitServer",
                "CredKitSystem",
                "CredKitTerminal",
            ],
            path: "Fuzz/Sources",
            exclude: ["CFuzzer", "Driver"],
            swiftSettings: commonSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)

if compilesCommandForSize {
    let waiting = [
        "CredKitClient", "CredKitCommand", "CredKitKeychain", "CredKitPostgreSQL", "CredKitServer",
        "CredKitSystem",
        "CredKitTerminal",
    ]
    for target in package.targets where waiting.contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Osize"])]
    }
}

if sanitizes {
    package.products.removeAll { $0.name.hasPrefix("credkit") }
    package.targets.removeAll { target in
        ["CredKitCommand", "CredKitServerCommand", "CredKitTerminal", "FuzzTests"].contains {
            target.name.hasPrefix($0)
        }
    }
}

if testsServerAlone {
    package.targets.removeAll { target in
        (target.isTest && target.name != "CredKitServerCommandTests") || target.name.hasSuffix("Probe")
    }
}

if fuzzes {
    package.products.removeAll { $0.name.hasPrefix("credkit") }
    package.targets.removeAll { $0.name == "CredKitServerCommand" || $0.isTest || $0.name.hasSuffix("Probe") }
    package.targets = package.targets.map { target in
        guard target.name == "CredKitCommand" else { return target }
        return .target(
            name: target.name,
            dependencies: target.dependencies,
            // The fuzzer's main function is the program's.
            swiftSettings: commonSettings + [
                .unsafeFlags([
                    "-Xfrontend", "-entry-point-function-name", "-Xfrontend", "CredKitCommand_main",
                ])
            ]
        )
    }
    package.products.append(.library(name: "CredKitCommand", targets: ["CredKitCommand", "CredKitTerminal"]))
}
