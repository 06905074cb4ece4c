// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Files that `credkit-server` reads again while it runs.
final class ServerReloadTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell(programs: ["credkit", "credkit-server"])
        let outcome = try shell.run(
            """
            hash() { printf "$1" | credkit hash legacy timestamp --key-phrase x --password-equivalent; }
            echo "alice:$(hash 123456)" > users
            (cat users; echo "bob:$(hash second)") > both
            (echo "alice:$(hash changed)"; echo "bob:$(hash second)") > changed
            (cat both; echo 'eve:none') > damaged
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    override func tearDown() { shell.remove() }

    /// Runs a script with functions that log in and wait, and returns its output.
    private func run(_ options: String = "", _ script: String) throws -> String {
        let server = try ServerProcess(
            shell,
            "credkit-server --key-phrase x --users users --listen 127.0.0.1:0 --quiet \(options)"
        )
        let pid = server.processIdentifier
        let outcome = try shell.run(
            """
            exec 2>&1
            url=\(server.url) server=\(pid) log='\(server.errorFile.path)'
            # replace FILE NAME: replaces a file and says so.
            replace() { cp "$1" new; mv new "$2"; kill -HUP $server; }
            log_in() { curl -s ${ca:+--cacert $ca} -d "username=$1&password=$2" $url/login.php | grep -c '"userId":[1-9]'; }
            # wait_for COUNT TEXT: until that many lines of the log contain a text.
            wait_for() {
                for i in {1..600}; do [ $(grep -c "$2" "$log") -ge $1 ] && return; sleep 0.05; done
                echo "not logged: $2"; cat "$log"
            }
            \(script)
            """
        )
        XCTAssertEqual(server.stop(), 0)
        return outcome.text
    }

    func testUsersAreReloadedWhenTheFileIsReplaced() throws {
        try XCTSkipIf(
            ProcessInfo.processInfo.environment["CREDKIT_DEEP"] == nil,
            "takes 8 seconds; set CREDKIT_DEEP=1 to run it"
        )
        let seen = try run(
            "",
            """
            log_in bob second
            cp both new; mv new users; wait_for 1 'reloaded the users file: 2 users'
            log_in bob second; log_in alice 123456
            # Written in place.
            cat changed > users; wait_for 1 'reloaded the users file: 2 users, 1 changed'
            log_in alice 123456; log_in alice changed
            # An error is reported once, and not again at each look.
            cp damaged new; mv new users; wait_for 1 'cannot reload'
            cp both new; mv new users; wait_for 3 'reloaded the users file'
            grep -c 'cannot reload' "$log"
            """
        )
        XCTAssertEqual(seen, "0\n1\n1\n0\n1\n1\n")
    }

    func testUsersAreReloadedAtSIGHUP() throws {
        let seen = try run(
            "",
            """
            kill -HUP $server; wait_for 1 'reloaded the users file: 1 users, 0 changed'
            replace both users; wait_for 1 'reloaded the users file: 2 users'
            log_in bob second
            """
        )
        XCTAssertEqual(seen, "1\n")
    }

    func testDamagedFileKeepsTheOldUsers() throws {
        let seen = try run(
            "",
            """
            replace both users; wait_for 1 '2 users'
            replace damaged users
            wait_for 1 "cannot reload the users file, so that the old one stays in force: users: line 3: "
            log_in bob second
            : > users; kill -HUP $server; wait_for 1 'there is no user in it'
            log_in bob second
            rm users; kill -HUP $server; wait_for 1 'users: cannot open the file'
            log_in alice 123456
            replace changed users; wait_for 2 '2 users'
            log_in alice changed
            """
        )
        XCTAssertEqual(seen, "1\n1\n1\n1\n")
    }

    func testSessionsOfChangedAndRemovedUsersEnd() throws {
        let seen = try run(
            "",
            """
            token() {
                curl -s -o /dev/null -D - -d "username=$1&password=$2" $url/login.php | sed -n 's/^x-auth-token: \\(.*\\)\\r/\\1/p'
            }
            see() { curl -s -o /dev/null -w '%{http_code}\\n' -H "x-auth-token: $1" $url/auth/session; }
            replace both users; wait_for 1 '2 users'
            alice=$(token alice 123456) bob=$(token bob second)
            see $alice; see $bob
            replace changed users; wait_for 2 '2 users'
            see $alice; see $bob
            grep alice changed > one; replace one users; wait_for 1 ': 1 users, 1 changed or removed'
            see $bob
            """
        )
        XCTAssertEqual(seen, "200\n200\n401\n200\n401\n")
    }

    /// Measuring a hash that takes seconds delays neither the end of sessions nor the next reload.
    func testHashesAreMeasuredAfterSessionsHaveEnded() throws {
        let dear = "pbkdf2_sha256$3000000$saltsalt$" + String(repeating: "A", count: 43) + "="
        let seen = try run(
            "",
            """
            replace both users; wait_for 1 '2 users'
            alice=$(curl -s -o /dev/null -D - -d 'username=alice&password=123456' $url/login.php | sed -n 's/^x-auth-token: \\(.*\\)\\r/\\1/p')
            see() { curl -s -o /dev/null -w '%{http_code}\\n' -H "x-auth-token: $alice" $url/auth/session; }
            see
            { cat changed; echo 'carol:\(dear)'; } > dear; replace dear users
            for i in {1..600}; do [ $(see) = 401 ] && break; done
            grep -c 'different costs' "$log"
            replace both users; wait_for 2 ': 2 users'
            log_in alice changed; grep -c 'different costs' "$log"
            """
        )
        XCTAssertEqual(seen, "200\n0\n0\n0\n")
    }

    func testOneTimeCodesAreReloadedWithTheirUsers() throws {
        _ = try shell.run(
            "cp both users; echo 'bob:otpauth://totp/b?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' > codes"
        )
        let seen = try run(
            "--otp-file codes --first-start",
            """
            see() { curl -s -d "username=$1&password=$2" $url/login.php | grep -c codeRequired; }
            see bob second; see alice 123456
            sed s/bob/alice/ codes > other; replace other codes; wait_for 1 'reloaded'
            see bob second; see alice 123456
            # A key of a user who never was there: neither file is used.
            sed s/alice/carol/ other > unknown; replace unknown codes; wait_for 1 'cannot reload the users file.* codes: line 1: '
            see alice 123456
            cp other again; replace again codes; wait_for 2 'reloaded'
            # A user who is removed has no access any more, whatever the other file has.
            for n in 1 2; do
                (grep bob both; echo "# $n") > one; replace one users; wait_for $n 'of 1 removed users are left out'
                see alice 123456
            done
            """
        )
        XCTAssertEqual(seen, "1\n0\n0\n1\n1\n0\n0\n")
    }

    func testCertificateIsReloadedWithoutDroppingConnections() throws {
        _ = try shell.run(
            """
            for n in 1 2; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $n -subj /CN=localhost -keyout key$n.pem -out cert$n.pem \\
                    -addext subjectAltName=IP:127.0.0.1 2> /dev/null
            done
            cp cert1.pem cert.pem; cp key1.pem key.pem
            """
        )
        let seen = try run(
            "--tls-cert cert.pem --tls-key key.pem",
            """
            ca=cert1.pem; log_in alice 123456; ca=cert2.pem; log_in alice 123456
            cat > client.py <<'END'
            import http.client, ssl, sys
            context = ssl.create_default_context(cafile="cert1.pem")
            connection = http.client.HTTPSConnection(sys.argv[1].split("/")[-1], context=context, timeout=60)
            for line in sys.stdin:
                connection.request("GET", "/")
                print(line.strip(), connection.getresponse().read()[:15].decode(), flush=True)
            END
            coproc client { python3 client.py $url; }
            echo before >&${client[1]}; read -r line <&${client[0]}; echo "$line"
            # A certificate without its key is not used.
            replace cert2.pem cert.pem; wait_for 1 'cannot reload the certificate.*is not the key of'
            ca=cert1.pem; log_in alice 123456
            cp key2.pem new; mv new key.pem; wait_for 1 'reloaded the certificate: the certificate expires at'
            echo after >&${client[1]}; read -r line <&${client[0]}; echo "$line"
            ca=cert1.pem; log_in alice 123456; ca=cert2.pem; log_in alice 123456
            """
        )
        XCTAssertEqual(seen, "1\n0\nbefore This is credkit\n1\nafter This is credkit\n0\n1\n")
    }

    func testChannelBindingFollowsTheCertificate() throws {
        try XCTSkipIf(
            ProcessInfo.processInfo.environment["CREDKIT_DEEP"] == nil,
            "takes 4 seconds; set CREDKIT_DEEP=1 to run it"
        )
        _ = try shell.run(
            """
            for n in 1 2; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $n -subj /CN=localhost -keyout key$n.pem -out cert$n.pem \\
                    -addext subjectAltName=IP:127.0.0.1 2> /dev/null
            done
            openssl req -x509 -newkey ed25519 -nodes -subj /CN=localhost -keyout key3.pem -out cert3.pem 2> /dev/null
            cat cert1.pem cert2.pem > all.pem
            cp cert1.pem cert.pem; cp key1.pem key.pem; printf 123456 > password
            echo "alice:$(printf 123456 | credkit hash scram-sha-256 --iterations 4096)" > users
            """
        )
        let seen = try run(
            "--tls-cert cert.pem --tls-key key.pem --require-channel-binding",
            """
            log_in() {
                credkit login $url --cacert all.pem --password-file password --user alice --mechanism scram \\
                    --channel-binding server-end-point --require-channel-binding --session s$RANDOM > out 2>&1
                echo $?
            }
            log_in
            cp key2.pem key.pem; replace cert2.pem cert.pem; wait_for 1 'reloaded the certificate'
            log_in
            cp key3.pem key.pem; replace cert3.pem cert.pem; wait_for 1 'cannot reload the certificate'
            log_in
            """
        )
        XCTAssertEqual(seen, "0\n0\n0\n")
    }

    func testEachFormOfHtpasswdLogsInByTheForm() throws {
        _ = try shell.run(
            """
            htpasswd -cbB -C 5 table bcrypt s3cret; htpasswd -bm table apr1 s3cret; htpasswd -bs table sha s3cret
            htpasswd -bd table des s3cret; htpasswd -b -5 table sha512 s3cret; htpasswd -b -2 table sha256 s3cret
            grep : table > users
            """
        )
        let seen = try run(
            "",
            """
            while IFS=: read -r name hash; do
                echo "$name ${hash:0:4} $(log_in $name s3cret) $(log_in $name s3crex)"
            done < users
            # htpasswd writes the file in place.
            htpasswd -bB -C 5 users new s3cret; wait_for 1 'reloaded the users file: 7 users'
            log_in new s3cret
            """
        )
        XCTAssertTrue(seen.contains("bcrypt $2y$ 1 0\napr1 $apr 1 0\nsha {SHA 1 0\n"), seen)
        XCTAssertTrue(seen.hasSuffix("\n1\n"), seen)
    }
}
