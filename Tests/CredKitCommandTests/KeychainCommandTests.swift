// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit keychain` with a real vault in a separate home.
final class KeychainCommandTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell() }

    override func tearDown() { shell.remove() }

    @discardableResult
    private func run(
        _ script: String,
        _ status: Int32 = 0,
        line: UInt = #line
    ) throws -> Shell.Outcome {
        let outcome = try shell.run(script)
        XCTAssertEqual(outcome.status, status, "\(script): \(outcome.errors)", line: line)
        return outcome
    }

    private func store(_ secret: String = "s3cret") throws {
        try run("printf %s '\(secret)' | credkit keychain set --replace com.example.app alice")
    }

    // MARK: Items

    func testStoredSecretIsPrintedByteForByte() throws {
        try run("head -c 1000 /dev/urandom > secret; credkit keychain set --raw s a --password-file secret")
        try run("credkit keychain get s a | cmp - secret")
        // One trailing line feed is removed, unless --raw keeps it.
        try run("printf 'x\\n\\n' | credkit keychain set --replace s a")
        XCTAssertEqual(try run("credkit keychain get s a").text, "x\n")
        try run("printf 'y\\n' | credkit keychain set --replace --raw s a")
        XCTAssertEqual(try run("credkit keychain get s a").text, "y\n")
    }

    func testGetBehavesTheSameWithAndWithoutTheArgumentParser() throws {
        try run("head -c 32 /dev/urandom > key; chmod 600 key; printf tests > phrase; chmod 600 phrase")
        try run("printf 1 | credkit keychain set --vault v --vault-key-file key s a")
        try run(
            "printf 2 | credkit keychain set --vault v --vault-key-file key s; printf 3 | credkit keychain set s a"
        )
        // Any option that the fast path does not know leaves the line to the parser.
        let lines = [
            "s a", "s", "a s", "-q a s", "--quiet a s", "--no-prompt s a", "s --no-prompt a", "s a b", "",
            "--vault v --vault-key-file key s a", "s a --vault-key-file key --vault v",
            "s --vault v --vault-key-file key",
            "--backend vault s a", "--backend auto s a", "--backend secret-service s a",
            "--backend other s a",
            "--passphrase-file phrase s a", "--passphrase-file missing s a", "--vault-key-file missing s a",
            "--passphrase-file - s a < phrase", "--vault-key-file - s a < key", "--collection c s a",
            "--vault missing s a", "--vault $'\\xff' s a", "--vault", "--vault v s a", "--vault --quiet s a",
            "--vault v --vault missing --vault-key-file key s a", "--quiet --quiet s a", "-- s a",
            "--other s a",
            "'' a", "s ''", "$'s\\e' a", "$'\\xff' a", "--vault '' s a",
        ]
        var statuses: Set<Int32> = []
        for line in lines {
            let short = try shell.run("credkit keychain get \(line)")
            XCTAssertEqual(short, try shell.run("credkit keychain get --timeout 60s \(line)"), line)
            statuses.insert(short.status)
        }
        XCTAssertEqual(statuses, [0, 1, 64, 65, 69, 74, 77])
    }

    func testMissingSecretIsNoEmptyOne() throws {
        for option in ["", "--raw"] { try run("credkit keychain set \(option) s a < /dev/null", 65) }
        try run("credkit keychain get s a", 1)
        try run("echo | credkit keychain set s a")
        XCTAssertEqual(try run("credkit keychain get s a").text, "")
    }

    func testItemWithoutAccountIsDistinct() throws {
        try run("printf 1 | credkit keychain set s; printf 2 | credkit keychain set s a")
        XCTAssertEqual(try run("credkit keychain get s").text, "1")
        XCTAssertEqual(try run("credkit keychain get s a").text, "2")
        try run("credkit keychain delete s")
        XCTAssertEqual(try run("credkit keychain list").text, "s\ta\n")
    }

    func testMissingItemHasStatusOneAndOneMessage() throws {
        for command in ["get", "delete"] {
            let outcome = try run("credkit keychain \(command) s a", 1)
            XCTAssertEqual(outcome.errors, "credkit: there is no item service=s account=a\n")
            XCTAssertEqual(try run("credkit keychain \(command) --quiet s a", 1).errors, "")
        }
        XCTAssertEqual(try run("credkit keychain list account=a", 1).text, "")
        try run("test ! -e bin/home/.local/share")
    }

    func testJSONHasTheDocumentedKeys() throws {
        try run(
            "printf '\\xff' | credkit keychain set s a --label L --attribute env=prod --content-type application/x"
        )
        let get = try run("credkit keychain get --json s a | jq -c 'del(.created, .modified)'").text
        XCTAssertEqual(
            get,
            #"{"account":"a","attributes":{"env":"prod"},"contentType":"application/x","label":"L","#
                + #""secretBase64":"/w==","service":"s"}"# + "\n"
        )
        let list = try run("credkit keychain list --json | jq -c keys").text
        XCTAssertEqual(
            list,
            #"["account","attributes","contentType","created","label","modified","service"]"# + "\n"
        )
        XCTAssertEqual(try run("credkit keychain list env=prod").text, "s\ta\tenv=prod\n")
        try run("credkit keychain list env=test", 1)
    }

    func testListFindsItemsByServiceAndAttributes() throws {
        try run(
            """
            printf 1 | credkit keychain set s a --attribute env=prod; printf 2 | credkit keychain set s b
            printf 3 | credkit keychain set a=b c; printf 4 | credkit keychain set t --attribute account=a
            """
        )
        for (filters, items) in [
            ("s", "s\ta\tenv=prod\ns\tb\n"), ("s account=b", "s\tb\n"), ("service=a=b", "a=b\tc\n"),
            ("account=a", "s\ta\tenv=prod\nt\taccount=a\n"), ("username=b", "s\tb\n"),
            ("s env=prod account=a", "s\ta\tenv=prod\n"),
        ] { XCTAssertEqual(try run("credkit keychain list \(filters)").text, items, filters) }
        for filters in ["a=b", "u", "s account=c", "service=x", "--quiet account=d"] {
            XCTAssertEqual(try run("credkit keychain list \(filters)", 1).errors, "", filters)
        }
        XCTAssertEqual(try run("credkit keychain list --quiet s").text, "")
        for filters in ["s t", "s service=t", "=a", "env=a env=b", "account=a username=a"] {
            try run("credkit keychain list \(filters)", 64)
        }
    }

    func testExistingSecretIsReplacedOnlyOnRequest() throws {
        try run("printf 1 | credkit keychain set s a; printf 2 | credkit keychain set s a --attribute x=y")
        let refused = try run("printf 3 | credkit keychain set s a", 73)
        XCTAssertEqual(
            refused.errors,
            "credkit: there is an item service=s account=a already (--replace overwrites it)\n"
        )
        XCTAssertEqual(try run("credkit keychain get s a").text, "1")
        for _ in 1...2 { try run("printf 3 | credkit keychain set --replace s a") }
        let both = try run("credkit keychain get s a; credkit keychain get s a --attribute x=y").text
        XCTAssertEqual(both, "32")
    }

    /// The second of two programs must not replace what the first has stored.
    func testOneOfSeveralProgramsStoresAnItem() throws {
        // So that none of them has to create the vault.
        try store()
        let statuses = try run(
            """
            for i in 1 2 3 4 5 6; do (printf $i | credkit keychain set s a 2> errors-$i; echo "$? $i" > status-$i) & done; wait
            sort status-? | cut -d ' ' -f 1 | uniq -c | tr -s ' '
            [ "$(credkit keychain get s a)" = "$(sed -n 's/^0 //p' status-?)" ]
            """
        )
        XCTAssertEqual(statuses.text, " 1 0\n 5 73\n", statuses.errors)
        // With --replace it waits as well, because the other program may have found no item.
        try run(
            """
            lock=$(find bin/home -name storing.lock); exec 9< "$lock"; flock 9
            printf x | credkit keychain set --replace s a --timeout 100ms
            """,
            75
        )
    }

    func testItemIsStoredWithoutAPlaceForALock() throws {
        let stored = try run("printf x | XDG_STATE_HOME=/proc/none credkit keychain set s a --vault ./v")
        XCTAssertTrue(stored.errors.contains("cannot prevent that another credkit stores"), stored.errors)
        XCTAssertEqual(try run("credkit keychain get s a --vault ./v").text, "x")
    }

    func testMissingItemNamesTheOtherAccounts() throws {
        try run("printf 1 | credkit keychain set db prod")
        for command in ["get", "delete"] {
            let outcome = try run("credkit keychain \(command) db", 1)
            XCTAssertEqual(
                outcome.errors,
                "credkit: there is no item service=db (there is one with the account 'prod')\n"
            )
        }
        try run("printf 2 | credkit keychain set db; printf 3 | credkit keychain set db test")
        let errors = try run("credkit keychain get db none", 1).errors
        XCTAssertTrue(errors.contains("with no account, and the accounts 'prod', 'test')"), errors)
        XCTAssertEqual(try run("credkit keychain get --quiet db none", 1).errors, "")
    }

    func testVaultThatIsNamedMustExist() throws {
        for command in [
            "get s", "list", "list s", "delete s", "export --plain-json out",
            "move --from ./no.vault --to vault", "passphrase", "passphrase --new-key", "slot list",
            "slot add",
            "slot remove 0",
        ] {
            let outcome = try run("credkit keychain \(command) --vault no.vault", 74)
            XCTAssertTrue(outcome.errors.contains("/no.vault does not exist"), outcome.errors)
        }
        for command in ["code", "list", "uri s", "verify s", "delete s"] {
            try run("echo 1 | credkit otp \(command) --vault no.vault", 74)
        }
        let doctor = try run("credkit keychain doctor --vault no.vault", 1)
        XCTAssertTrue(doctor.text.contains("vault: problem: "), doctor.text)
        // The standard one is created by the first item.
        XCTAssertEqual(try run("credkit keychain list; credkit keychain doctor --quiet").text, "")
        try run("test ! -e no.vault; test ! -e out; printf x | credkit keychain set s --vault no.vault")
        XCTAssertEqual(try run("credkit keychain list --vault no.vault").text, "s\n")
        // One that was there is missing, which is another matter.
        try run("rm no.vault*; credkit keychain list --vault no.vault", 65)
    }

    func testSeveralMatchingItemsAreNotGuessed() throws {
        try run("for e in a b; do printf $e | credkit keychain set s u --attribute env=$e; done")
        let outcome = try run("credkit keychain get s u", 65)
        XCTAssertTrue(outcome.errors.contains("2 items match"), outcome.errors)
        XCTAssertEqual(try run("credkit keychain get s u --attribute env=b").text, "b")
    }

    func testListsAreTerminalSafe() throws {
        try run("printf x | credkit keychain set $'a\\eb' $'c\\nd'")
        XCTAssertEqual(try run("credkit keychain list").text, "a\\033b\tc\\nd\n")
    }

    func testSecretOnTheCommandLineIsRefusedAndNotRepeated() throws {
        for command in ["set s a hunter2", "get s a hunter2", "delete s a hunter2"] {
            let outcome = try run("printf x | credkit keychain \(command)", 64)
            XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
        }
    }

    func testOneInputCannotBeTwoSecrets() throws {
        for option in ["--passphrase-fd 0", "--passphrase-file -", "--passphrase-file /dev/stdin"] {
            try run("printf x | credkit keychain set s a \(option)", 64)
        }
        try run("printf x | credkit keychain set s a --passphrase-fd 3 3< <(echo tests)")
        try run("printf x | credkit keychain passphrase --passphrase-fd 0", 64)
        try run("printf x | credkit keychain slot add --passphrase-fd 0", 64)
        try run("printf x | credkit keychain export --passphrase-fd 0 file", 64)
    }

    // MARK: Opening

    func testEveryPassphraseSourceUnlocksTheVault() throws {
        try store()
        let plain = "env -u CREDKIT_PASSPHRASE setsid --wait credkit keychain get com.example.app alice"
        try run("printf tests > passphrase; mkdir credentials; echo tests > credentials/credkit.passphrase")
        for source in [
            "--passphrase-fd 3 3< passphrase", "--passphrase-file passphrase",
            "--passphrase-file - < passphrase",
            "--passphrase-command 'cat passphrase'",
        ] {
            XCTAssertEqual(try run("\(plain) \(source)").text, "s3cret", source)
        }
        XCTAssertEqual(try run("CREDENTIALS_DIRECTORY=$PWD/credentials \(plain)").text, "s3cret")
        // Command-line options override the environment.
        try run("credkit keychain list --passphrase-file <(echo wrong)", 77)
        // Without a terminal there is no prompt.
        let outcome = try run("\(plain) < /dev/null", 77)
        XCTAssertTrue(outcome.errors.contains("no passphrase or key was given"), outcome.errors)
        try run("CREDKIT_PASSPHRASE=wrong credkit keychain list", 77)
        try run("credkit keychain list --passphrase-file no-such-file", 74)
    }

    func testUnlockingLastsUntilItsTimeoutOrTheLock() throws {
        try store()
        let plain = "env -u CREDKIT_PASSPHRASE setsid --wait credkit keychain list < /dev/null"
        guard try shell.run("credkit keychain unlock --for 1m").status == 0 else {
            throw XCTSkip("the kernel's keyring is not available here")
        }
        try run(plain)
        try run("credkit keychain unlock --for 1s; sleep 1.5; \(plain)", 77)
        try run("credkit keychain unlock --for 1m; \(plain)")
        try run("credkit keychain lock; \(plain)", 77)
        try run("credkit keychain unlock --for 1x", 64)
        // A cached key is not sufficient to change the vault's key slots.
        try run("credkit keychain unlock --for 1m")
        try run("printf new | env -u CREDKIT_PASSPHRASE setsid --wait credkit keychain passphrase", 77)
        try run("credkit keychain lock")
    }

    func testChangedPassphraseReplacesTheOldOne() throws {
        try store()
        try run("printf 'new one' | credkit keychain passphrase")
        try run("credkit keychain list", 77)
        try run("CREDKIT_PASSPHRASE='new one' credkit keychain doctor --deep")
        try run(
            "CREDKIT_PASSPHRASE='new one' credkit keychain passphrase --rewrap --new-passphrase-fd 3 3< <(echo tests)"
        )
        XCTAssertEqual(try run("credkit keychain get com.example.app alice").text, "s3cret")
    }

    func testSlotsAreAddedAndRemoved() throws {
        try store()
        try run("head -c 32 /dev/urandom > key")
        let identifier = try run("credkit keychain slot add --new-key-file key --name 'of the server'").text
            .trimmingCharacters(in: .newlines)
        XCTAssertEqual(identifier.count, 32)
        let slots = try run("credkit keychain slot list | cut -f 2-").text
        XCTAssertEqual(slots, "passphrase\tpassphrase\nkey\tof the server\n")
        let get = "env -u CREDKIT_PASSPHRASE credkit keychain get com.example.app alice --no-prompt"
        XCTAssertEqual(try run("\(get) --vault-key-file key").text, "s3cret")
        // Not 1, which means that there is no such item.
        try run("\(get) --vault-key-file nokey", 74)
        // A new key drops every slot whose key is not available, and reports it.
        let rekey = try run("credkit keychain passphrase --new-key")
        XCTAssertTrue(rekey.errors.contains("dropped the slot \(identifier) (of the server)"), rekey.errors)
        try run("\(get) --vault-key-file key", 77)
        let second = try run("printf second | credkit keychain slot add").text.trimmingCharacters(
            in: .newlines
        )
        try run("CREDKIT_PASSPHRASE=second credkit keychain doctor --deep")
        try run("credkit keychain slot remove \(second)")
        let locked = try run("CREDKIT_PASSPHRASE=second credkit keychain doctor --deep", 77)
        XCTAssertTrue(locked.text.contains("content: problem: "), locked.text)
        for option in ["--rewrap", "--slot 0123", "--new-passphrase-fd 0"] {
            try run("credkit keychain passphrase --new-key \(option)", 64)
        }
        try run("credkit keychain slot remove 0123", 1)
        try run("credkit keychain slot add --secret-service --new-key-file key", 64)
    }

    /// A process that is killed between the calls must not leave a key without an end.
    func testKilledUnlockLeavesNoKeyWithoutAnEnd() throws {
        try store()
        guard try shell.run("credkit keychain unlock --for 1m && credkit keychain lock").status == 0 else {
            throw XCTSkip("the kernel's keyring is not available here")
        }
        var wasCached = false
        for number in 1...12 where !wasCached {
            let trace =
                "CREDKIT_ALLOW_CORE_DUMPS=1 strace -f -qq -o trace -e trace=add_key,keyctl -e inject=keyctl:signal=SIGKILL:when=\(number)"
            _ = try shell.run("\(trace) credkit keychain unlock --for 1m")
            // The columns are number, flags, usage, time, permissions, user, group, type and description.
            // The kernel removes the keyring of a killed process a moment later.
            let endless = "grep credkit:vault: /proc/keys | awk '$4 == \"perm\"' | grep -q ."
            try run(
                "timeout 20 bash -c 'while \(endless.replacingOccurrences(of: "'", with: "'\\''")); do sleep 0.01; done'"
            )
            wasCached =
                try shell.run(
                    "env -u CREDKIT_PASSPHRASE credkit keychain get com.example.app alice --no-prompt"
                ).status == 0
            try run("credkit keychain lock")
        }
        XCTAssertTrue(try run("cat trace").text.contains("add_key"))
    }

    // MARK: The file

    func testDamagedVaultIsDetectedAndRepaired() throws {
        try store("first")
        try store("second")
        let vault = "bin/home/.local/share/credkit/keychain.vault"
        XCTAssertEqual(try run("credkit keychain doctor --deep --json | jq .items").text, "1\n")
        try run("printf X | dd of=\(vault) bs=1 seek=300 conv=notrunc status=none")
        try run("credkit keychain doctor --deep --quiet", 65)
        try run("credkit keychain get com.example.app alice", 65)
        let repaired = try run("credkit keychain doctor --repair").text
        XCTAssertTrue(repaired.contains("restored the backup with 1 item (generation 1)"), repaired)
        XCTAssertTrue(repaired.contains("the last save, generation 2, is lost"), repaired)
        XCTAssertEqual(try run("credkit keychain get com.example.app alice").text, "first")
        XCTAssertTrue(
            try run("credkit keychain doctor --deep --repair").text.contains("repair: nothing to do\n")
        )
    }

    func testOlderCopyIsAcceptedOnlyOnRequest() throws {
        try store("first")
        let vault = "bin/home/.local/share/credkit/keychain.vault"
        try run("cp \(vault) old")
        try store("second")
        try run("cp old \(vault); credkit keychain list", 65)
        try run("credkit keychain doctor --deep", 65)
        try run("credkit keychain doctor", 1)
        try run("credkit keychain doctor --repair", 65)
        for options in [
            "--accept-older-copy", "--repair --accept-current", "--deep --backend secret-service",
        ] { try run("credkit keychain doctor \(options)", 64) }
        try run("credkit keychain doctor --repair --accept-older-copy")
        XCTAssertEqual(try run("credkit keychain get com.example.app alice").text, "first")
    }

    func testEmptyOrMissingVaultIsRepaired() throws {
        let vault = "bin/home/.local/share/credkit/keychain.vault"
        for damage in [
            "mv \(vault) away", ": > \(vault)", "printf X | dd of=\(vault) conv=notrunc status=none",
        ] {
            try store("first")
            try store("second")
            try run("\(damage); credkit keychain list", 65)
            XCTAssertTrue(try run("credkit keychain doctor --repair").text.contains("restored"), damage)
            XCTAssertEqual(try run("credkit keychain get com.example.app alice").text, "first", damage)
        }
    }

    func testDeletedVaultIsAnAlarmUntilAccepted() throws {
        try store()
        let vault = "bin/home/.local/share/credkit/keychain.vault"
        try run("rm \(vault) \(vault).bak; credkit keychain list", 65)
        try run("printf x | credkit keychain set s a", 65)
        try run("credkit keychain doctor", 1)
        let accepted = try run("credkit keychain doctor --accept-current").text
        XCTAssertTrue(accepted.contains("accepted that there is no vault"), accepted)
        try store()
        try run("credkit keychain doctor --accept-current --quiet")
    }

    func testTimeoutHoldsWhateverTheFileAsksFor() throws {
        try store()
        // 15 slots of 1 GiB: together within the limit, but no call has the time for all of them.
        let script = """
            import hashlib, pathlib
            path = pathlib.Path("bin/home/.local/share/credkit/keychain.vault")
            whole = path.read_bytes()
            end = int.from_bytes(whole[12:16], "little")
            slot = bytearray(whole[126:end - 32])
            costs = 1 + 16 + 2 + len("passphrase") + 16
            slot[costs:costs + 8] = (1 << 20).to_bytes(4, "little") + (1).to_bytes(4, "little")
            slots = [slot[:1] + bytes([number]) + slot[2:] for number in range(15)]
            header = bytearray(whole[:124] + (15).to_bytes(2, "little") + b"".join(slots))
            header[12:16] = (len(header) + 32).to_bytes(4, "little")
            path.write_bytes(header + hashlib.sha256(header).digest() + whole[end:])
            """
        try run("cat > hostile.py <<'EOF'\n\(script)\nEOF\npython3 hostile.py")
        let start = ContinuousClock.now
        try run("credkit keychain get com.example.app alice --timeout 3s --no-prompt", 69)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(20), "no time for prompts")
    }

    func testFileWritableByOthersIsRefused() throws {
        try store()
        try run("chmod g+w bin/home/.local/share/credkit/keychain.vault; credkit keychain list", 77)
    }

    func testVaultLockedByAnotherProcessIsBusy() throws {
        try store()
        try run(
            "exec 9< bin/home/.local/share/credkit/keychain.vault.lock; flock 9; "
                + "printf x | credkit keychain set s a --timeout 3s",
            75
        )
    }

    func testItemsMoveBetweenStores() throws {
        try store()
        try run("printf 2 | credkit keychain set other")
        let planned = try run("credkit keychain move --dry-run --from vault --to ./b.vault com.example.app")
            .text
        XCTAssertEqual(planned, "com.example.app\talice\n")
        XCTAssertEqual(try run("credkit keychain list com.example.app").text, planned)
        let moved = try run("credkit keychain move --from vault --to ./b.vault com.example.app").text
        XCTAssertEqual(moved, "com.example.app\talice\n")
        XCTAssertEqual(try run("credkit keychain list").text, "other\n")
        XCTAssertEqual(try run("credkit keychain get com.example.app alice --vault b.vault").text, "s3cret")
        try run("credkit keychain move --keep --from ./b.vault --to vault")
        XCTAssertEqual(try run("credkit keychain list --vault b.vault").text, "com.example.app\talice\n")
        // A different secret at the target stops the entire move.
        try store("another")
        try run("credkit keychain move --from ./b.vault --to vault", 73)
        try run("credkit keychain move --from vault --to vault", 64)
        try run("credkit keychain move --from here --to vault", 64)
        // One descriptor opens both vaults.
        try run(
            "env -u CREDKIT_PASSPHRASE credkit keychain move --keep --no-prompt --from ./b.vault --to ./c.vault "
                + "--passphrase-fd 3 3< <(echo tests)"
        )
    }

    // MARK: Files

    func testArchiveRoundTrips() throws {
        try store()
        try run("printf '\\xff\\n' | credkit keychain set --raw bin '' --attribute a=b --label L")
        try run(
            "printf horse | credkit keychain export archive; stat -c %a archive; ! grep -q example archive"
        )
        XCTAssertEqual(try run("stat -c %a archive; ls -A | grep -c archive").text, "600\n1\n")
        XCTAssertTrue(
            try run("printf horse | credkit keychain export archive", 73).errors.contains("already exists")
        )
        try run("printf wrong | credkit keychain import archive --vault new.vault", 77)
        try run("test ! -e new.vault")
        try run("printf horse | credkit keychain import archive --vault new.vault")
        let all = "credkit keychain list --json | jq -c 'del(.created, .modified)'"
        XCTAssertEqual(
            try run(all).text,
            try run(all.replacingOccurrences(of: "list", with: "list --vault new.vault")).text
        )
        try run("credkit keychain get bin '' --vault new.vault | cmp - <(printf '\\xff\\n')")
        // An archive is an ordinary vault.
        XCTAssertEqual(
            try run("CREDKIT_PASSPHRASE=horse credkit keychain list --vault archive com.example.app").text,
            "com.example.app\talice\n"
        )
        try run("head -c 300 archive > cut; printf horse | credkit keychain import cut", 65)
        try run("printf junk > junk; printf horse | credkit keychain import junk", 65)
    }

    func testAnImportIsAllOrNothing() throws {
        try store()
        try run("printf 1 | credkit keychain set a; printf horse | credkit keychain export archive")
        try run("credkit keychain delete a")
        let same = try run("printf horse | credkit keychain import archive")
        XCTAssertTrue(same.errors.contains("imported 1 item, skipped 1"), same.errors)
        try run("credkit keychain delete a")
        try store("another")
        try run("printf horse | credkit keychain import archive", 73)
        XCTAssertEqual(try run("credkit keychain list").text, "com.example.app\talice\n")
        try run("printf horse | credkit keychain import --replace archive")
        XCTAssertEqual(try run("credkit keychain get com.example.app alice").text, "s3cret")
    }

    func testPlainJSONIsPrivateAndRoundTrips() throws {
        try store()
        try run("printf '\\xff' | credkit keychain set bin")
        let export = try run("umask 0; credkit keychain export --plain-json out.json")
        XCTAssertTrue(export.errors.contains("unencrypted"), export.errors)
        XCTAssertEqual(try run("stat -c %a out.json").text, "600\n")
        XCTAssertEqual(
            try run("jq -c '[.format, .version, (.items[] | .secret // .secretBase64)]' out.json").text,
            #"["credkit-credentials",1,"/w==","s3cret"]"# + "\n"
        )
        try run("credkit keychain import out.json --vault new.vault")
        XCTAssertEqual(try run("credkit keychain get com.example.app alice --vault new.vault").text, "s3cret")
        let broken = try run(
            "sed s/s3cret/hunter2,/ out.json | tr -d '}' > b.json; credkit keychain import b.json",
            65
        )
        XCTAssertFalse(broken.errors.contains("hunter2"), broken.errors)
    }

    // MARK: The doctor

    func testDoctorReportsTheBackendAndTheReason() throws {
        try store()
        let report = try run(
            "CREDKIT_VAULT=$HOME/.local/share/credkit/keychain.vault CREDKIT_PASSPHRASE=hunter2 credkit keychain doctor"
        ).text
        XCTAssertTrue(report.hasPrefix("backend: vault (CREDKIT_BACKEND names it)\n"), report)
        for part in ["CREDKIT_VAULT: note: /", "slots: passphrase (passphrase)", "secret-service: note: "] {
            XCTAssertTrue(report.contains(part), report)
        }
        XCTAssertFalse(report.contains("hunter2"), report)
        let json = try run("credkit keychain doctor --json | jq -c '[.backend, .findings[0].name]'").text
        XCTAssertEqual(json, #"["vault","CREDKIT_BACKEND"]"# + "\n")
        try run("CREDKIT_BACKEND=kwallet credkit keychain doctor", 1)
        let insecure = try run(
            "chmod o+w bin/home/.local/share/credkit/keychain.vault; credkit keychain doctor",
            1
        )
        XCTAssertTrue(insecure.text.contains("vault: problem: "), insecure.text)
    }

    func testBackendOfTheFirstItemIsRemembered() throws {
        try run("printf x | CREDKIT_BACKEND= credkit keychain set s")
        let report = try run("CREDKIT_BACKEND= credkit keychain doctor").text
        XCTAssertTrue(report.hasPrefix("backend: vault (this account has used it before)\n"), report)
        XCTAssertTrue(report.contains("remembered: note: this account has used vault before"), report)
    }

    func testNothingIsStoredIfTheBackendCannotBeRemembered() throws {
        try run("printf x | CREDKIT_BACKEND= XDG_STATE_HOME=/proc/none credkit keychain set s", 74)
        try run("credkit keychain get s", 1)
    }

    func testKilledWritersLeaveNoFilesBehind() throws {
        try store()
        try run(
            """
            for i in $(seq 20); do
                (printf $i | credkit keychain set s $i & p=$!; sleep 0.0$((i % 10)); kill -TERM $p; wait $p) 2> /dev/null
            done; true
            """
        )
        XCTAssertEqual(try run("credkit keychain get com.example.app alice").text, "s3cret")
        try run("credkit keychain doctor --deep")
        try run("test -z \"$(ls -A bin/home/.local/share/credkit | grep tmp)\"")
    }
}
