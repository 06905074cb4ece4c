// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitCommand

/// Completion of names, in bash, zsh and fish themselves.
final class CompletionTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell()
        let outcome = try shell.run(
            """
            for service in com.example.app org.example.mail https://login.example:8443 \
                '$(touch expanded)' '`touch expanded`' 'two words' "quo'te" -option; do
                printf s3cret | credkit keychain set -- "$service" alice || exit
            done
            printf s3cret | credkit keychain set credkit-session school --attribute credkit-purpose=session-key
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        for (name, script) in Self.scripts {
            try Data(script.utf8).write(to: shell.folder.appendingPathComponent("completion.\(name)"))
        }
    }

    override func tearDown() { shell?.remove() }

    /// What the command prints for each shell, made once: it takes seconds in a debug build.
    private static let scripts = [
        "bash": CredKitCommand.completionScript(for: .bash),
        "zsh": CredKitCommand.completionScript(for: .zsh),
        "fish": CredKitCommand.completionScript(for: .fish),
    ]

    func testScriptsHaveWholeCommands() throws {
        for (name, script) in Self.scripts { XCTAssertTrue(script.contains("timestamp"), name) }
        let printed = try shell.run("credkit --generate-completion-script fish")
        XCTAssertEqual(printed.status, 0)
        XCTAssertTrue(Self.scripts["fish"].map(printed.text.hasPrefix) == true)
    }

    /// The names that mean themselves in every shell.
    private static let services = [
        "com.example.app", "credkit-session", "https://login.example:8443", "org.example.mail",
    ]

    /// Returns what bash completes the last word of a command line with.
    private func bash(_ line: String) throws -> [String] {
        let outcome = try shell.run(
            """
            source completion.bash
            COMP_LINE=\(quoted(line)) COMP_POINT=${#COMP_LINE}
            read -ra COMP_WORDS <<< "$COMP_LINE"
            case $COMP_LINE in *' ') COMP_WORDS+=('') ;; esac
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _credkit credkit "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
            """
        )
        XCTAssertEqual(outcome.errors, "")
        return lines(outcome).filter { !$0.hasPrefix("-") }
    }

    /// Types the beginnings of names and a tab into a shell on a pseudoterminal, and waits for the whole names.
    private func typeKeys(into program: String, loading: String) throws {
        try require(program.components(separatedBy: " ")[0])
        let outcome = try shell.run(
            #"""
            mkdir functions; cp completion.zsh functions/_credkit
            python3 \#(quoted(TestScripts.path("type_keys.py"))) \#(program) -- \#(quoted(loading)) READY-2 \
                'credkit keychain list https\t' 'login.example:8443' '\x15credkit keychain get com\t' 'com.example.app' \
                '\x15credkit request --session s\t' 'session school' '\x15credkit calibrate yes\t' 'yescrypt'
            """#
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: shell.folder.path + "/expanded"))
    }

    private func require(_ program: String) throws {
        if try shell.run("command -v \(program)").status != 0 { throw XCTSkip("\(program) is not installed") }
    }

    private func quoted(_ text: String) -> String {
        "'\(text.replacingOccurrences(of: "'", with: "'\\''"))'"
    }

    private func lines(_ outcome: Shell.Outcome) -> [String] {
        outcome.text.split(separator: "\n").map(String.init)
    }

    func testBashCompletesNames() throws {
        XCTAssertEqual(try bash("credkit keychain get "), Self.services)
        XCTAssertEqual(try bash("credkit keychain list com"), ["com.example.app"])
        XCTAssertEqual(try bash("credkit otp code or"), ["org.example.mail"])
        XCTAssertEqual(try bash("credkit keychain export --service or"), ["org.example.mail"])
        for command in ["request", "login", "logout"] {
            XCTAssertEqual(try bash("credkit \(command) --session s"), ["school"], command)
        }
        XCTAssertEqual(try bash("credkit calibrate argon2id"), ["argon2id"])
        XCTAssertEqual(try bash("credkit verify --as salted-sha2"), ["salted-sha256"])
        XCTAssertFalse(FileManager.default.fileExists(atPath: shell.folder.path + "/expanded"))
    }

    func testFishCompletesNames() throws {
        try typeKeys(
            into: "fish --no-config -i",
            loading: #"source completion.fish; echo READY-(math 1 + 1)\n"#
        )
    }

    func testZshCompletesNames() throws {
        try typeKeys(
            into: "zsh -f -i",
            loading:
                #"PS1=; fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D; print READY-$((1 + 1))\n"#
        )
    }

    /// Without a way to unlock the vault there are no names, no prompt and no message.
    func testLockedVaultHasNoNames() throws {
        let call = "credkit ---completion keychain get -- positional@0 3 0 credkit keychain get ''"
        let outcome = try shell.run(
            """
            unset CREDKIT_PASSPHRASE
            export SAP_SHELL=bash
            script -qefc "\(call)" typescript < /dev/null; tail -c 200 typescript
            CREDKIT_PASSPHRASE=wrong \(call)
            printf '#!/bin/sh\\ntouch asked' > asks; chmod +x asks
            \(call.replacingOccurrences(of: "get ''", with: "get --passphrase-command ./asks ''")); ls asked
            CREDKIT_VAULT=$PWD/none \(call); ls none
            """
        )
        for name in ["example", "assphrase", "asked\n"] {
            XCTAssertFalse(outcome.text.contains(name), outcome.text)
        }
        XCTAssertTrue(outcome.errors.contains("'asked'"), outcome.errors)
        XCTAssertTrue(outcome.errors.contains("'none'"), outcome.errors)
    }

    /// A completion starts no keyring; the command itself does.
    func testNoSecretServiceIsStarted() throws {
        let outcome = try shell.run(
            """
            mkdir -p data/dbus-1/services
            printf '#!/bin/sh\\ntouch %s/started' "$PWD" > service; chmod +x service
            printf '[D-BUS Service]\\nName=org.freedesktop.secrets\\nExec=%s/service\\n' "$PWD" \
                > data/dbus-1/services/secrets.service
            export XDG_DATA_HOME=$PWD/data CREDKIT_BACKEND=secret-service SAP_SHELL=bash
            cat > inside <<'END'
            credkit ---completion keychain get -- positional@0 3 0 credkit keychain get ''
            ls started 2> /dev/null
            credkit keychain list 2> /dev/null
            ls started
            END
            dbus-run-session -- bash inside
            """
        )
        XCTAssertEqual(outcome.text, "\nstarted\n", outcome.errors)
    }
}
