// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitClient

@Suite struct SystemBrowserTests {
    /// An environment, and what is done in it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let environment: [String: String]
        let choice: SystemBrowser.Choice

        init(_ place: String, _ environment: [String: String], _ choice: SystemBrowser.Choice) {
            (testDescription, self.environment, self.choice) = (place, environment, choice)
        }
    }

    private static let ssh = ["SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"]
    private static let desktop = SystemBrowser.Choice.open(arguments: ["xdg-open"])
    private static let editor = "/home/a/.vscode-server/bin/browser.sh"

    static let cases: [Case] = [
        Case("X11", ["DISPLAY": ":0"], desktop),
        Case("Wayland", ["WAYLAND_DISPLAY": "wayland-0"], desktop),
        Case("a container, or a console", [:], .deviceFlow),
        Case("variables that are empty", ["DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""], .deviceFlow),
        Case("SSH", ssh, .deviceFlow),
        Case("SSH with X11", ssh.merging(["DISPLAY": "localhost:10.0"]) { $1 }, .deviceFlow),
        Case(
            "SSH from an editor, which forwards ports",
            ssh.merging(["BROWSER": editor]) { $1 },
            .open(arguments: [editor])
        ),
        Case("WSL", ["WSL_DISTRO_NAME": "Debian"], .open(arguments: ["wslview"])),
        Case(
            "WSL with windows",
            ["WSL_INTEROP": "/run/WSL/1", "DISPLAY": ":0"],
            .open(arguments: ["wslview"])
        ),
        Case("SSH to WSL", ssh.merging(["WSL_DISTRO_NAME": "Debian"]) { $1 }, .deviceFlow),
        Case("a browser of choice", ["BROWSER": "firefox", "DISPLAY": ":0"], .open(arguments: ["firefox"])),
        Case(
            "a browser with arguments",
            ["BROWSER": "firefox -P work --new-window %s:chromium", "DISPLAY": ":0"],
            .open(arguments: ["firefox", "-P", "work", "--new-window", "%s"])
        ),
        Case("a browser in the terminal", ["BROWSER": "w3m"], .deviceFlow),
        Case(
            "another one",
            ["BROWSER": "/usr/bin/lynx -x:firefox", "DISPLAY": ":0"],
            .open(arguments: ["firefox"])
        ),
        Case("one with a display", ["BROWSER": "www-browser", "DISPLAY": ":0"], desktop),
        Case("blanks", ["BROWSER": " : "], .deviceFlow),
    ]

    @Test(arguments: SystemBrowserTests.cases)
    func choice(_ place: Case) {
        #expect(SystemBrowser.choice(environment: place.environment) == place.choice)
    }

    @Test func allVariablesThatDecideAreRead() {
        for place in Self.cases {
            #expect(place.environment.keys.allSatisfy { SystemBrowser.variables.contains($0) })
        }
    }

    @Test func urlIsOneArgument() throws {
        let url = try HTTPURL("https://login.example/authorize?a=$(id)&b=%s&c='")
        let text = url.absoluteString
        func arguments(_ words: String...) throws -> [String] {
            try SystemBrowser(.open(arguments: words)).arguments(for: url)
        }
        #expect(try arguments("xdg-open") == (["xdg-open", text] as [String]))
        #expect(try arguments("a", "--url=%s", "b") == (["a", "--url=\(text)", "b"] as [String]))
        #expect(try arguments("%s") == (["%s", text] as [String]))
    }

    @Test func otherPagesAreNotOpened() throws {
        let browser = SystemBrowser(.open(arguments: ["credkit-no-such-browser"]))
        #expect(throws: ClientError.insecureConnection) { try browser.open(HTTPURL("http://login.example/")) }
        let long = try HTTPURL("https://login.example/?" + String(repeating: "a", count: 8192 - 22))
        #expect(throws: ClientError.invalidURL) { try browser.open(long) }
        #expect(throws: ClientError.browserUnavailable) {
            try browser.open(HTTPURL("https://login.example/"))
        }
        #expect(throws: ClientError.browserUnavailable) { try browser.open(HTTPURL("http://localhost:1/")) }
        #expect(throws: ClientError.browserUnavailable) {
            try SystemBrowser(.deviceFlow).open(HTTPURL("https://login.example/"))
        }
    }

    @Test func browserGetsTheURL() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder["pipe"], 0o600) == 0)
        let script = try folder.write(#"printf '%s\n' "$@" >"\#(folder["pipe"])""#, "browser")
        let url = try HTTPURL("https://login.example/authorize?state=a&scope=b%20c")
        try SystemBrowser(.open(arguments: ["bash", script, "--new", "%s"])).open(url)
        let output = try Descriptor(open(folder["pipe"], O_RDONLY | O_CLOEXEC)).readAll(limit: 4096)
        #expect(String(decoding: output, as: UTF8.self) == "--new\n\(url.absoluteString)\n")
    }
}
