// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Testing

/// Tables that are upgraded in shards and joined.
@Suite(.serialized)
final class UpgradeShardTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    deinit { shell.remove() }

    /// Runs `Tests/Scripts/upgrade_shards.py`, which compares tables.
    private func compare(_ arguments: String) throws {
        let outcome = try shell.run("python3 '\(TestScripts.path("upgrade_shards.py"))' \(arguments)")
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    }

    @Test
    func joinedShardsOfEveryKindOfRecordEqualOneRun() throws { try compare("kinds") }

    @Test
    func joinedShardsOfRandomTablesEqualOneRun() throws {
        try compare("random 1 \(TestForm.isDeep ? 200 : 8)")
    }

    @Test
    func killedShardsAreResumedOrRepeated() throws { try compare("kill 1 \(TestForm.isDeep ? 50 : 4)") }

    // MARK: Parts that are refused

    /// A part, or a table, that is not as it was, and what the message says of it.
    struct Plant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: String
        /// The arguments of `--join`, `p1 p2 p3` unless something else is said.
        let parts: String
        let message: String

        init(_ description: String, _ script: String, parts: String = "p1 p2 p3", _ message: String) {
            (testDescription, self.script) = (description, script)
            (self.parts, self.message) = (parts, message)
        }
    }

    /// There are the parts `p1`, `p2` and `p3` of the table `in`: the first one has the records of user1, user4, user7
    /// and user10. Only the hashes of user2 and user5 are salted.
    static let plants: [Plant] = [
        Plant("a part twice", "cp p1 p2", "p2: it is part 1 of 3, as p1 is"),
        Plant("a missing part", "", parts: "p3 p1", "part 2 of 3 is missing"),
        Plant(
            "a part of other shards",
            "shard other 1/2",
            parts: "p1 other p2 p3",
            "other: it is part 1 of 2, but p1 is part 1 of 3"
        ),
        Plant(
            "the table itself",
            "",
            parts: "p1 in p3",
            "in: it is not the complete output of a run with --shard"
        ),
        Plant("no header", "tail -c +257 p2 > x; mv x p2", "p2: it is not the complete output"),
        Plant(
            "an incomplete part",
            "head -c 256 /dev/zero | cat - in > p2",
            "p2: it is not the complete output"
        ),
        Plant(
            "a part of another table",
            "mv in kept; sed s/user5/user6/ kept > in; rm p2; shard p2 2/3; mv kept in",
            "p2: it was made of another table"
        ),
        // New hashes do not show of which old ones they were made.
        Plant(
            "a part of an older table",
            "mv in kept; sed '/user3:/s/5en6/6en6/' kept > in; rm p3; shard p3 3/3; mv kept in",
            "p3: it was made of another table"
        ),
        Plant("a table that was changed since", "sed -i '/user9:/s/5en6/6en6/' in", "that was changed since"),
        Plant("a table with a further record", "tail -n 1 in >> in", "that was changed since"),
        Plant("a cut record", "truncate -s -20 p3", "p3: its record 3, for record 9 of in, is not what"),
        Plant("a lost record", "sed -i '$d' p3", "p3: it ends before record 9 of in"),
        Plant("a lost record, sealed", "sed -i '$d' p3; seal p3", "p3: it ends before record 9 of in"),
        Plant("a further record", "tail -n 1 p3 >> p3", "p3: it has more records"),
        Plant("a further record, sealed", "tail -n 1 p3 >> p3; seal p3", "p3: it has more records"),
        Plant(
            "two users in each other's place",
            "swap p1 3 4",
            "p1: its record 2, for record 4 of in, is not"
        ),
        Plant("the same, sealed", "swap p1 3 4; seal p1", "p1: its record 2, for record 4 of in, is not"),
        Plant(
            "two users' hashes",
            "swap p1 3 4; sed -i 's/user7:/user0:/; s/user4:/user7:/; s/user0:/user4:/' p1",
            "p1: its records are not those that were written"
        ),
        Plant(
            "two users' salted hashes, sealed",
            "swap p2 2 3; sed -i 's/user5:/user0:/; s/user2:/user5:/; s/user0:/user2:/' p2; seal p2",
            "p2: its record 1, for record 2 of in, is not"
        ),
        Plant(
            "a weaker hash",
            "sed -i 's/^user4:.*/user4:{SHA}5en6G6MezRroT3XKqkdPOmY\\/BfQ=/' p1",
            "p1: its record 2, for record 4 of in, is not"
        ),
        Plant(
            "a weaker hash, sealed",
            "sed -i 's/^user4:.*/user4:{SHA}5en6G6MezRroT3XKqkdPOmY\\/BfQ=/' p1; seal p1",
            "p1: its record 2, for record 4 of in, is not"
        ),
        Plant(
            "a lower cost",
            "rm p2; cost=8KiB; shard p2 2/3; cost=64KiB",
            "p2: its record 1, for record 2 of in, is not"
        ),
        Plant("another number", "sed -i '1s/2\\/3/3\\/3/' p2", parts: "p1 p2 p3", "it is part 3 of 3, as"),
    ]

    @Test(arguments: UpgradeShardTests.plants)
    func plantedPartsAreRefused(plant: Plant) throws {
        let outcome = try shell.run(
            """
            cost=64KiB
            shard() { credkit upgrade --allow-incompatible --memory $cost --passes 1 --input in --output $1 --shard $2 2> /dev/null; }
            seal() { python3 '\(TestScripts.path("upgrade_shards.py"))' seal $1; }
            # Exchanges two lines of a part; its header is the first line.
            swap() {
                { sed -n "1,$(($2 - 1))p" $1; sed -n "$3p" $1; sed -n "$2p" $1; tail -n +$(($3 + 1)) $1; } > x
                mv x $1
            }
            for i in 1 2 3 4 5 6 7 8 9 10; do echo "user$i:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="; done > in
            sed -i '2s/:.*/:$1$abc$iCQ2D3nhptRYi27fDYv2s1/; 5s/:.*/:$1$abd$iCQ2D3nhptRYi27fDYv2s1/' in
            for k in 1 2 3; do shard p$k $k/3; done
            join() { credkit upgrade --allow-incompatible --memory $cost --passes 1 --input in --output out --join "$@"; }
            join p2 p3 p1 2> /dev/null && rm out || echo "the parts are refused as they are"
            \(plant.script)
            join \(plant.parts); echo $?; ls out*
            """
        )
        #expect(outcome.text == "65\n", "\(outcome.errors)")
        #expect(outcome.errors.contains(plant.message), "\(outcome.errors)")
    }

    // MARK: Options and failures

    @Test(arguments: [
        "--output o --shard 0/2", "--output o --shard 3/2", "--output o --shard 1/1001",
        "--output o --shard x",
        "--output o --shard 1/2/3", "--output o --shard 1", "--output o --shard +1/2",
        "--output o --shard 1/2 --join p", "--output o --join p --resume",
        "--output o --join -", "--join p", "--join",
    ])
    func conflictingOptionsAreRefused(options: String) throws {
        let outcome = try shell.run("touch in p; credkit upgrade --allow-incompatible --input in \(options)")
        #expect(outcome.status == 64, "\(outcome.errors)")
    }

    @Test(arguments: ["--shard 1/2", "--join p"])
    func databasesHaveNoShards(options: String) throws {
        let outcome = try shell.run(
            "credkit upgrade --database dbname=x --table t --id-column i --hash-column h \(options)"
        )
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("share its rows by themselves"), "\(outcome.errors)")
    }

    /// Neither digests nor records show whose password a new hash is of.
    @Test(arguments: ["chmod g+w p2", "chown 65534 p2", "ln p2 other"])
    func partsThatOthersCanChangeAreRefused(command: String) throws {
        let outcome = try shell.run(
            """
            for i in 1 2 3; do echo "user$i:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="; done > in
            upgrade="credkit upgrade --allow-incompatible --memory 8KiB --passes 1 --input in"
            for k in 1 2; do $upgrade --shard $k/2 --output p$k 2> /dev/null; done
            \(command) && $upgrade --join p1 p2 --output out; echo $?; ls out*
            """
        )
        #expect(outcome.text == "77\n", "\(outcome.errors)")
    }

    @Test
    func failedJoinLeavesNoOutput() throws {
        let outcome = try shell.run(
            """
            for i in $(seq 3000); do echo "user$i:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="; done > in
            upgrade="credkit upgrade --allow-incompatible --memory 8KiB --passes 1 --input in"
            for k in 1 2; do $upgrade --shard $k/2 --output p$k 2> /dev/null; done
            (ulimit -f 64; trap '' XFSZ; $upgrade --join p1 p2 --output out); echo $?; ls out*
            touch out; $upgrade --join p1 p2 --output out; echo $?; rm out
            $upgrade --join p1 none --output out; echo $?; ls out*
            touch out.partial; $upgrade --join p1 p2 --output out; echo $?; ls out*
            rm out.partial; $upgrade --join p1 p2 --output out; echo $?; wc -l < out; stat -c %a out
            """
        )
        #expect(outcome.text == "74\n73\n74\n73\nout.partial\n0\n3000\n600\n", "\(outcome.errors)")
    }
}
