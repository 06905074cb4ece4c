// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// Four programs that write the same users at the same time, and are killed while they do: two servers that replace hashes at logins,
/// `credkit-server users`, which stores a password as the page does, and `credkit users` or SQL.
@Suite struct FourWritersTests {
    /// How often each of them is killed.
    private static let kills = TestForm.isDeep ? 50 : 2

    /// The users: those of the servers have a weak hash of `s3cret`, one for each login.
    private static let preparation = """
        umask 077
        weak=$(printf s3cret | credkit hash argon2id --memory 1MiB --passes 1)
        users() {
            echo '# The first line.'
            for n in {1..\(2 * kills)}; do printf '%s\\n' "a$n:$weak" "b$n:$weak"; done
            printf '%s\\n' '' "w:$weak" "p:$weak" '# The last line.'
        }
        """

    /// Defines the writers. Each says what it was told to be done, in the file `done-NAME`.
    private static let writers = """
        # A server: a login that is answered, and one while it is killed. Each replaces the hash of its user.
        serve() {
            for n in {1..\(kills)}; do
                : > $1.address
                credkit-server $options --mechanism form --listen 127.0.0.1:0 --quiet --replace-hashes > $1.address 2>> $1.log & server=$!
                for i in {1..1200}; do [ -s $1.address ] && break; sleep 0.05; done
                url=$(cut -d' ' -f3 $1.address)
                answer=$(curl -sS -d username=$1$n -d password=s3cret $url/login.php 2>&1)
                if [[ $answer = *userName* ]]; then echo $1$n >> done-$1; else echo "$1$n: $answer" >> $1.log; fi
                curl -s -o answer-$1 -d username=$1$((n + \(kills))) -d password=s3cret $url/login.php & client=$!
                sleep 0.0$((RANDOM % 10)); kill -9 $server
                wait $server $client
            done
        }
        # A command that sets the password NAME-NUMBER, and is killed each second time.
        put() {
            local name=$1; shift
            echo 0 > done-$name
            for n in {1..\(2 * kills)}; do
                printf $name-$n > password-$name
                "$@" < password-$name > /dev/null 2>> $name.log & command=$!
                if ((n % 2)); then sleep 0.$((RANDOM % 3))$((RANDOM % 10)); kill -9 $command 2> /dev/null; fi
                wait $command && echo $n > done-$name
            done
        }
        """

    /// Checks the file `users`: nothing that was told to be done is lost.
    private static let check = """
        [ $(credkit users users list | wc -l) = \(4 * kills + 2) ] || echo 'lost users'
        credkit users users list | cut -f1 | grep -c '^[ab]' | grep -qx \(4 * kills) || echo 'other users'
        for user in $(cut -d: -f1 users | grep '^[ab][0-9]'); do
            printf s3cret | credkit users users verify $user -q || echo "the password of $user is lost"
        done
        for user in $(cat done-a done-b); do
            grep -q "^$user:.*m=1024," users && echo "the new hash of $user is lost"
        done
        [ $(cat done-a done-b | wc -l) = \(2 * kills) ] || { echo 'logins failed'; cat a.log b.log >&2; }
        for name in w p; do
            found=
            for n in $(seq $(cat done-$name) \(2 * kills)); do
                printf $name-$n | credkit users users verify $name -q && found=$n
            done
            [ "$found" ] || echo "the password of $name is lost"
            [ $(cat done-$name) -ge \(kills) ] || { echo "$name has failed"; cat $name.log >&2; }
        done
        """

    @Test func nothingOfAFileIsLost() throws {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            \(Self.preparation)
            users > users
            options='--users users'
            \(Self.writers)
            # The file is whole whenever it is read.
            watch() { until [ -e end ]; do credkit users users list -q || echo 'a torn file'; sleep 0.05; done; }
            watch & watcher=$!
            serve a & a=$!
            serve b & b=$!
            put w credkit users users set w --scheme bcrypt --cost 4 -q & w=$!
            put p credkit-server users set p --users users --mechanism form & p=$!
            wait $a $b $w $p; touch end; wait $watcher
            \(Self.check)
            head -1 users; tail -1 users; stat -c %a users
            """
        )
        #expect(outcome.text == "# The first line.\n# The last line.\n600\n", "\(outcome.errors)")
    }

    @Test func nothingOfATableIsLost() throws {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.run(
            """
            CREATE ROLE app LOGIN PASSWORD 'of-the-tests';
            CREATE TABLE public.people (name text PRIMARY KEY, hash text);
            GRANT SELECT, UPDATE (hash) ON public.people TO app;
            """
        )
        let made = try shell.run(
            "\(Self.preparation)\nprintf of-the-tests > database-password; users | grep : | grep -v '^#'"
        )
        let rows = made.text.split(separator: "\n").compactMap { line -> String? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return "('\(line[..<colon])', '\(line[line.index(after: colon)...])')"
        }
        try server.run("INSERT INTO public.people VALUES \(rows.joined(separator: ", "))")
        let outcome = try shell.run(
            """
            umask 077
            options='--users-database postgresql://app@127.0.0.1:\(server.port)/postgres --users-password-file database-password'
            options+=' --users-table public.people --users-name-column name --users-credential-column hash'
            \(Self.writers)
            serve a & a=$!
            serve b & b=$!
            put w credkit-server users set w $options --mechanism form & w=$!
            put p credkit-server users set p $options --mechanism form & p=$!
            wait $a $b $w $p
            """
        )
        let stored = try server.run("SELECT name, hash FROM public.people ORDER BY name")
        let lines = stored.map { $0.joined(separator: ":") }.joined(separator: "\n")
        try Data("\(lines)\n".utf8).write(to: shell.folder.appendingPathComponent("users"))
        let checked = try shell.run("chmod 600 users\n\(Self.check)")
        #expect(checked.text.isEmpty, "\(outcome.errors)\(checked.errors)")
    }
}
