// swift-tools-version: 6.2
// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The scripts that check set this. A warning is then an error, which it never is in a user's build with a newer
/// compiler, and what only debug builds have for tests is there.
let checks = Context.environment["CREDKIT_CHECKS"] == "1"

/// `script/build` sets this, for releases of the commands. What waits for the network, the keychain or the user is
/// compiled for size; digests, password schemes and tables are not.
let isRelease = Context.environment["CREDKIT_RELEASE"] == "1"

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (checks ? [.treatAllWarnings(as: .error), .define("DEBUG")] : [])
let forSize: [SwiftSetting] = isRelease ? [.unsafeFlags(["-Osize"])] : []
let library = settings + [.strictMemorySafety()]
let gnu: [CSetting] = [.define("_GNU_SOURCE")]

func product(_ name: String, of package: String, for trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}
let client = TargetDependencyCondition.when(traits: ["Client"])
let argumentParser = product("ArgumentParser", of: "swift-argument-parser", for: "Command")

func system(_ name: String, _ folder: String, _ library: String, _ debian: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(folder)", pkgConfig: library, providers: [.apt([debian])])
}

let package = Package(
    name: "CredKit",
    products: [
        .library(name: "CredKit", targets: ["CredKit"]),
        .library(name: "CredKitKeychain", targets: ["CredKitKeychain"]),
        .library(name: "CredKitServer", targets: ["CredKitServer"]),
        .library(name: "CredKitPostgreSQL", targets: ["CredKitPostgreSQL"]),
        .library(name: "CredKitClient", targets: ["CredKitClient"]),
        .library(name: "CredKitTesting", targets: ["CredKitTesting", "CredKitVectors"]),
        .executable(name: "credkit", targets: ["CredKitProgram"]),
        // For the packages in Server/ and Fuzz/ alone: they may change in any version.
        .library(name: "_CredKitTerminal", targets: ["CredKitTerminal"]),
        .library(name: "_CredKitCommand", targets: ["CredKitCommand", "CredKitSystem", "CredKitTerminal"]),
        .library(name: "_CredKitPSL", targets: ["CCredKitPSL"]),
        .library(name: "_CredKitTestSupport", targets: ["CredKitTestSupport"]),
    ],
    traits: [
        .default(enabledTraits: ["Client", "Command", "SecretService"]),
        .trait(name: "Client", description: "The login client over HTTP. The rest needs no other package."),
        .trait(name: "Command", description: "The credkit command.", enabledTraits: ["Client"]),
        .trait(
            name: "SecretService",
            description: "The desktop's keyring, through libsecret. Without it the keychain is the vault."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    ],
    targets: [
        // C. Target names are unique over a whole package graph, hence the prefix.
        system("CCredKitSodium", "CSodium", "libsodium", "libsodium-dev"),
        system("CCredKitCrypt", "CCrypt", "libcrypt", "libcrypt-dev"),
        .target(
            name: "CCredKitKernels",
            dependencies: ["CCredKitOpenSSL"],
            path: "Sources/CKernels",
            cSettings: gnu
        ),
        .target(name: "CCredKitCurl", path: "Sources/CCurl", cSettings: gnu),
        .target(name: "CCredKitOpenSSL", path: "Sources/COpenSSL", cSettings: gnu),
        .target(name: "CCredKitLinux", path: "Sources/CLinux", cSettings: gnu),
        .target(name: "CCredKitPQ", path: "Sources/CPQ", cSettings: gnu),
        .target(name: "CCredKitPSL", path: "Sources/CPSL", cSettings: gnu),
        .target(name: "CCredKitSecret", path: "Sources/CSecret", cSettings: gnu),
        .target(name: "CCredKitZlib", path: "Sources/CZlib", cSettings: gnu),

        // The library. CredKitSystem is what the operating system offers; it knows nothing of credentials.
        .target(name: "CredKitSystem", dependencies: ["CCredKitLinux"], swiftSettings: library + forSize),
        .target(
            name: "CredKit",
            dependencies: [
                "CredKitSystem", "CCredKitOpenSSL", "CCredKitSodium", "CCredKitCrypt", "CCredKitKernels",
            ],
            swiftSettings: library
        ),
        .target(
            name: "CredKitKeychain",
            dependencies: [
                "CredKit", "CredKitSystem", "CCredKitLinux", "CCredKitZlib",
                .target(name: "CCredKitSecret", condition: .when(traits: ["SecretService"])),
            ],
            swiftSettings: library + forSize
        ),
        .target(
            name: "CredKitServer",
            dependencies: ["CredKit", "CredKitSystem"],
            swiftSettings: library + forSize
        ),
        .target(
            name: "CredKitPostgreSQL",
            dependencies: ["CredKitServer", "CredKit", "CredKitSystem", "CCredKitPQ"],
            swiftSettings: library + forSize
        ),
        .target(
            name: "CredKitClient",
            dependencies: [
                "CredKit", "CredKitKeychain", "CredKitSystem",
                .target(name: "CCredKitCurl", condition: client),
                .target(name: "CCredKitOpenSSL", condition: client),
                .target(name: "CCredKitPSL", condition: client),
                product("HTTPTypes", of: "swift-http-types", for: "Client"),
                product("Logging", of: "swift-log", for: "Client"),
            ],
            swiftSettings: library + forSize
        ),
        // Suites that stores and transports must pass, and stand-ins for tests.
        .target(
            name: "CredKitTesting",
            dependencies: [
                "CredKit", "CredKitKeychain", "CredKitServer", "CredKitSystem",
                .target(name: "CredKitClient", condition: client),
                product("HTTPTypes", of: "swift-http-types", for: "Client"),
            ],
            swiftSettings: library
        ),
        // Published test vectors, part of the product CredKitTesting.
        .target(name: "CredKitVectors", path: "Vectors", resources: [.copy("Data")], swiftSettings: settings),

        // The command. What Server/ shares with it is a module, and so is all of it, since no executable can be linked.
        .target(
            name: "CredKitTerminal",
            dependencies: ["CredKit", "CredKitKeychain", "CredKitSystem", argumentParser],
            swiftSettings: settings + forSize
        ),
        .target(
            name: "CredKitCommand",
            dependencies: [
                "CredKit", "CredKitKeychain", "CredKitServer", "CredKitClient", "CredKitPostgreSQL",
                "CredKitTerminal", "CredKitSystem", argumentParser,
                product("HTTPTypes", of: "swift-http-types", for: "Command"),
                product("Logging", of: "swift-log", for: "Command"),
            ],
            swiftSettings: settings + forSize
        ),
        .executableTarget(
            name: "CredKitProgram",
            dependencies: ["CredKitCommand"],
            swiftSettings: settings + forSize
        ),
    ] + tests,
    swiftLanguageModes: [.v6]
)

/// The tests, and what they start. Scripts that they run stand in Tests/Scripts.
var tests: [Target] {
    func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .testTarget(name: name, dependencies: dependencies + ["CredKitTestSupport"], swiftSettings: settings)
    }
    func probe(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .executableTarget(
            name: name,
            dependencies: dependencies,
            path: "Tests/\(name)",
            swiftSettings: settings
        )
    }
    let core: [Target.Dependency] = ["CredKit", "CredKitSystem", "CredKitVectors"]
    let stores: [Target.Dependency] = core + ["CredKitKeychain", "CredKitServer", "CredKitTesting"]
    let command = stores + ["CredKitClient", "CredKitCommand", "CredKitTerminal"]
    return [
        .target(
            name: "CredKitTestSupport",
            dependencies: ["CredKit"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        probe("SecretMemoryProbe", ["CredKit"]),
        probe("KeychainProbe", ["CredKitKeychain", "CredKit", "CredKitSystem"]),
        tests("CredKitSystemTests", ["CredKitSystem"]),
        tests("CredKitTests", core + ["SecretMemoryProbe"]),
        tests("CredKitKeychainTests", stores + ["KeychainProbe"]),
        tests("CredKitServerTests", stores + ["CredKitPostgreSQL"]),
        tests("CredKitClientTests", stores + ["CredKitClient"]),
        tests("CredKitCommandTests", command + [.target(name: "CredKitProgram"), argumentParser]),
        // Mechanisms of login from outside of CredKit: the compiler lets them use public symbols only.
        .testTarget(
            name: "MechanismTests",
            dependencies: ["CredKitServer", "CredKitClient", "CredKitKeychain", "CredKit", "CredKitTesting"],
            packageAccess: false,
            swiftSettings: settings
        ),
        // The targets of the fuzzer, each of which runs over its corpus.
        .testTarget(
            name: "FuzzTests",
            dependencies: command,
            path: "Fuzz/Sources",
            exclude: ["Driver"],
            sources: ["Harness", "Replay", "Targets"],
            swiftSettings: settings
        ),
    ]
}
