// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Attacks on sites behind a login page that succeeded elsewhere.
final class SiteAttackTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell(programs: ["credkit", "credkit-server"]) }

    override func tearDown() { shell.remove() }

    private func check(_ script: String, _ expected: String, line: UInt = #line) throws {
        let outcome = try ProtectedSite.run(shell, "", script)
        XCTAssertEqual(outcome.text, expected, outcome.errors, line: line)
    }

    func testForgedHeadersPassNothingAndNameNoUser() throws {
        try check(
            """
            status -H 'Remote-User: alice' -H 'Remote_User: alice' $url/
            status -H 'X-Forwarded-Uri: /auth/login' -H 'X-Original-URL: /auth/login' -H 'X-Forwarded-Method: OPTIONS' $url/a
            status -X OPTIONS $url/
            login jar alice s3cret
            status -b jar -H 'Remote-User: root' $url/
            # nginx drops this one.
            curl -s -b jar -H 'Remote_User: root' $url/
            # What the browser states of its address leads to no other site.
            curl -s -o /dev/null -D head -H 'Sec-Fetch-Mode: navigate' -H 'X-Original-URL: https://evil.example/' \\
                -H 'Host: evil.example' $url/a
            sed -n "s,$url,SITE,; s/\\r$//; s/^Location: //p" head
            """,
            "401\n401\n401\n303 SITE/\n403\nuser=alice path=/\nSITE/auth/login\n"
        )
    }

    /// A location with a header of its own inherits none, and would pass the client's on.
    func testNoLocationPassesANameOfTheClient() throws {
        try check(
            """
            login jar alice s3cret
            status -b jar $url/own/; cat answer
            for path in /own/ /other/a /static/page.html; do status -b jar -H 'remote-user: root' $url$path; done
            # The first one alone would be seen by a condition in nginx.
            status -b jar -H 'Remote-User;' -H 'Remote-User: root' $url/own/
            for check in check forward; do
                status -b jar $direct/auth/$check
                for header in 'Remote-User: root' 'Remote-User: alice' 'Remote-User;' 'Remote_User: root'; do
                    status -b jar -H "$header" $direct/auth/$check
                done
            done
            """,
            "303 SITE/\n200\nuser= path=/own/\n403\n403\n403\n403\n"
                + String(repeating: "204\n403\n403\n403\n403\n", count: 2)
        )
    }

    func testEveryLocationIsClosed() throws {
        try check(
            """
            for path in /other/a /a.php /static/page.html /auth/a.php; do status -H 'Remote-User: root' $url$path; done
            login jar alice s3cret
            for path in /other/a /a.php; do
                curl -s -b jar -H 'Remote_User: root' $url$path
            done
            """,
            """
            401
            401
            401
            404
            303 SITE/
            user=alice path=/other/a
            user=alice path=/a.php

            """
        )
    }

    func testSiteGetsTheStatementsOfTheProxyAndNoSession() throws {
        try check(
            """
            login jar alice s3cret
            session=$(awk '$6 == "__Host-credkit" { print $7 }' jar)
            show() {
                curl -s -H 'X-Forwarded-For: 192.0.2.1' -H 'X-Forwarded-Proto: https' -H 'X-Forwarded-Host: evil.example' \\
                    -H "Cookie: $1" $url/show | sed "s,${url#http://},HOST,g"
            }
            show "a=1; __Host-credkit=$session; b=2"
            show "__Host-credkit=$session"
            # A program can set the cookie that it would get in a domain of several sites.
            show "__Host-credkit=$session; __Secure-credkit=x; c=3"
            show "__Secure-credkit=x; __Host-credkit=$session"
            """,
            """
            303 SITE/
            host=HOST for=127.0.0.1 proto=http
            forwarded=HOST cookie=a=1; b=2
            host=HOST for=127.0.0.1 proto=http
            forwarded=HOST cookie=
            host=HOST for=127.0.0.1 proto=http
            forwarded=HOST cookie=c=3
            host=HOST for=127.0.0.1 proto=http
            forwarded=HOST cookie=

            """
        )
    }

    func testConditionalMalformedAndLargeRequestsFailClosed() throws {
        try check(
            """
            login jar alice s3cret
            for option in 'If-None-Match: *' 'If-None-Match: "x"' 'If-Modified-Since: Sun, 29 Nov 2099 00:00:00 GMT' \\
                'Range: bytes=0-0'; do
                status -b jar -H "$option" $direct/auth/check; grep -ci '^set-cookie' head
                status -H "$option" $direct/auth/check
            done
            status -b jar -I $direct/auth/check; grep -ci '^remote-user: alice' head
            status -b jar -X POST -d a=b $direct/auth/check
            for path in '/%zz' '/%00' '/a//../b' '/%2e%2e/'; do
                [ $(status --path-as-is "$url$path") -ge 400 ] && echo closed
            done
            # large URL: sends a request with a megabyte of cookies, and prints the first line of the answer, if there is one.
            large() {
                {
                    printf 'GET /auth/check HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\nCookie: x='
                    head -c 1048576 /dev/zero | tr '\\0' a
                    printf '\\r\\n\\r\\n'
                } 2> /dev/null | timeout 20 bash -c '
                    exec 3<> /dev/tcp/${0%:*}/${0#*:}; cat >&3 2> /dev/null; cat <&3 2> /dev/null' ${1#http://} | head -1
            }
            for target in $direct $url; do [[ $(large $target) == *' 2'* ]] || echo closed; done
            status -b jar $direct/auth/check
            { printf 'Cookie: '; printf '__Host-credkit=%043d; ' {1..100}; } > many
            status -H @many $direct/auth/check
            # In place of a long address, the root of the site: nginx takes no headers of more than 4 kilobytes.
            status -H 'Sec-Fetch-Mode: navigate' "$url/$(head -c 1500 /dev/zero | tr '\\0' '&')"
            sed -n "s,$url,SITE,; s,%3A[0-9][0-9]*%2F,%3APORT%2F,; s/\\r$//; s/^Location: //p" head
            """,
            "303 SITE/\n" + String(repeating: "204\n0\n401\n", count: 4) + "204\n1\n204\n"
                + String(repeating: "closed\n", count: 6) + "204\n401\n302\n"
                + "SITE/auth/login?rd=http%3A%2F%2F127.0.0.1%3APORT%2F\n"
        )
    }

    func testFormsOfOtherSitesAreRefused() throws {
        try check(
            """
            # A form of another site carries neither the cookie nor the token.
            status -d username=alice -d password=s3cret $url/auth/login; grep -c '__Host-credkit=' head
            token=$(form jar)
            send() { status -b jar -d "token=$token" -d username=alice -d password=s3cret "$@" $url/auth/login; }
            send -H 'Sec-Fetch-Site: cross-site'; send -H 'Sec-Fetch-Site: same-site'; send -H 'Sec-Fetch-Site: none'
            send -H 'Origin: https://evil.example'; send -H 'Origin: null'; send -H "Origin: $url.evil.example"
            status -b jar -d username=alice -d password=s3cret $url/auth/login
            status -d "token=$token" -d username=alice -d password=s3cret $url/auth/login
            status -b '__Host-credkit-form=' -d token= -d username=alice -d password=s3cret $url/auth/login
            send -H 'Content-Type: text/plain'
            send -H 'Sec-Fetch-Site: same-origin' -H "Origin: $url"
            login jar alice s3cret
            status -b jar -d everywhere=1 $url/auth/logout; status -b jar $url/
            """,
            "403\n0\n" + String(repeating: "403\n", count: 9) + "415\n303\n303 SITE/\n403\n200\n"
        )
    }

    func testReturnAddressesOfOtherSitesAreIgnored() throws {
        try check(
            """
            for rd in https://evil.example/ //evil.example /a "$url.evil.example/" "$url@evil.example/" "$url\\\\@evil.example" \\
                "$url:1/" " $url/" "$url/a b" "$url/"$'\\t' "$url/"$'\\n' javascript:alert\\(1\\) "${url/http/HTTP}/" ''; do
                login jar alice s3cret "rd=$rd"
            done
            curl -s -G -b jar --data-urlencode 'rd=javascript:alert(1)' $url/auth/login | grep -c javascript
            login jar alice s3cret "rd=$url//evil.example"
            """,
            String(repeating: "303 SITE/\n", count: 14) + "0\n303 SITE//evil.example\n"
        )
    }

    func testUserWhoCannotBeNamedIsForbiddenAndNotSentInCircles() throws {
        try check(
            """
            login jar Zoë s3cret
            status -b jar -H 'Sec-Fetch-Mode: navigate' $url/; grep -ci '^location' head
            """,
            "303 SITE/\n403\n0\n"
        )
    }

    func testSessionOfTheFormIsNoneOfThePage() throws {
        let outcome = try ProtectedSite.run(
            shell,
            "--mechanism form",
            """
            curl -s -o /dev/null -c jar -d 'username=alice&password=s3cret' $direct/login.php
            status -b jar $direct/auth/session; status -b jar $url/
            """
        )
        XCTAssertEqual(outcome.text, "200\n401\n", outcome.errors)
    }

    func testStatementsOfUntrustedPeersAreIgnored() throws {
        let outcome = try ProtectedSite.run(
            shell,
            "",
            """
            credkit-server --users users --site $url --trusted-proxy 192.0.2.1 --listen 127.0.0.1:0 > other 2> /dev/null & other=$!
            for i in {1..600}; do [ -s other ] || sleep 0.1; done
            status -H 'Sec-Fetch-Mode: navigate' -H "X-Original-URL: $url/a" $(cut -d' ' -f3 other)/auth/check
            sed -n "s,$url,SITE,; s/\\r$//; s/^location: //Ip" head
            kill $other
            """
        )
        XCTAssertEqual(outcome.text, "401\nSITE/auth/login\n", outcome.errors)
    }

    /// The password would be readable between the browser and the proxy.
    func testPageOfSitesWithTLSTakesNoPasswordWithoutIt() throws {
        try check(
            """
            credkit-server --users users --site https://wiki.example.org --trusted-proxy 127.0.0.1 --listen 127.0.0.1:0 \\
                > other 2> /dev/null & other=$!
            for i in {1..600}; do [ -s other ] || sleep 0.1; done
            page=$(cut -d' ' -f3 other)/auth/login
            # Without a value, curl leaves the header out.
            for scheme in http https ''; do
                status -H "X-Forwarded-Proto: $scheme" $page; grep -c '<form' answer
                status -H "X-Forwarded-Proto: $scheme" -d username=alice -d password=s3cret $page; grep -c TLS answer
            done
            kill $other
            """,
            "403\n0\n403\n1\n200\n1\n403\n0\n403\n0\n403\n1\n"
        )
    }

    func testStateThatIsDownIsNeitherALoginNorALogout() throws {
        let redis = try RedisServer()
        let key = try shell.run("umask 077; head -c 32 /dev/urandom > state-key")
        XCTAssertEqual(key.status, 0, key.errors)
        let outcome = try ProtectedSite.run(
            shell,
            "--state redis://127.0.0.1:\(redis.port) --state-key-file state-key",
            """
            login jar alice s3cret; status -b jar $direct/auth/check
            login bob bob s3cret; ticket=$(field ticket); token=$(form bob)
            kill -9 \(redis.processID)
            while [ $(status -b jar $direct/auth/check) = 204 ]; do sleep 0.05; done
            status -b jar $direct/auth/check; status -b jar -H 'Sec-Fetch-Mode: navigate' $direct/auth/forward
            status -b jar $url/
            status -b jar $url/auth/login; notice | sed 's/[0-9]* seconds*/N seconds/'
            # The password need not be sent again.
            status -b bob --data-urlencode "token=$token" --data-urlencode "ticket=$ticket" -d otp=123456 $url/auth/login
            grep -c 'name="otp"' answer
            [ -n "$(field ticket)" ] && [ "$(field ticket)" != "$ticket" ] && echo renewed
            """
        )
        XCTAssertEqual(
            outcome.text,
            "303 SITE/\n204\n200\n503\n503\n500\n503\nLogins are not possible at the moment. Try again in N seconds.\n"
                + "503\n1\nrenewed\n",
            outcome.errors
        )
    }
}
