// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// A site behind nginx whose users log in at the page of `credkit-server`.
final class ProtectedSiteTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell(programs: ["credkit", "credkit-server"]) }

    override func tearDown() { shell.remove() }

    /// Runs a script, and compares its output without the number of the port in an encoded address.
    private func check(
        options: String = "",
        _ script: String,
        _ expected: String,
        line: UInt = #line
    ) throws {
        let outcome = try ProtectedSite.run(shell, options, script)
        let text = outcome.text.replacing(/%3A[0-9]+%2F/, with: "%3APORT%2F")
        XCTAssertEqual(text, expected, outcome.errors, line: line)
    }

    func testLoginReturnsToThePageWithItsQuery() throws {
        try check(
            """
            curl -s -o /dev/null -D head -H 'Sec-Fetch-Mode: navigate' "$url/wiki?a=1&b=%20x"
            sed -n "s,$url,SITE,; s/\\r$//; s/^Location: //p" head
            rd=$(sed -n 's/\\r$//; s/^Location: .*?rd=//p' head | python3 -c 'import urllib.parse as u; print(u.unquote(input()))')
            login jar alice s3cret "rd=$rd"
            grep -ci '^set-cookie: __Host-credkit=[A-Za-z0-9_-]\\{43\\}; Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax' head
            curl -s -b jar "$rd"
            grep -c 'POST /auth/login 303' log; grep -c /auth/check log
            """,
            """
            SITE/auth/login?rd=http%3A%2F%2F127.0.0.1%3APORT%2Fwiki%3Fa%3D1%26b%3D%2520x
            303 SITE/wiki?a=1&b=%20x
            1
            user=alice path=/wiki?a=1&b=%20x
            1
            0

            """
        )
    }

    func testWrongPasswordsAndUnknownUsersGetTheSamePage() throws {
        try check(
            """
            login jar alice wrong; notice; field username
            login jar nemo wrong; notice
            login jar alice ''; notice
            login jar '"><script>' wrong; grep -c '<script>' answer; field username
            status -b jar $url/wiki
            """,
            """
            401
            The user name or the password is wrong.
            alice
            401
            The user name or the password is wrong.
            400
            Enter your user name and your password.
            401
            0
            &quot;&gt;&lt;script&gt;
            401

            """
        )
    }

    func testCodeFollowsThePasswordWithATicketThatIsUsedOnce() throws {
        try check(
            """
            login jar bob s3cret; grep -c s3cret answer
            first=$(field ticket)
            post jar /auth/login "ticket=$first" otp=000000; notice
            second=$(field ticket)
            code=$(credkit otp code phone bob)
            post jar /auth/login "ticket=$first" "otp=$code"; notice
            post other /auth/login "ticket=$second" "otp=$code"; notice
            post jar /auth/login "ticket=$second"; notice
            third=$(field ticket)
            post jar /auth/login "ticket=$third" "otp=$(credkit otp code phone bob)" "rd=$url/a"
            curl -s -b jar $url/a
            post jar /auth/login "ticket=$third" "otp=$(credkit otp code phone bob)"
            post jar /auth/login ticket=invalid otp=1; notice
            """,
            """
            200
            0
            401
            The one-time code is wrong, or was already used.
            401
            The login took too long. Enter your password again.
            401
            The login took too long. Enter your password again.
            200
            Enter the one-time code.
            303 SITE/a
            user=bob path=/a
            401
            401
            The login took too long. Enter your password again.

            """
        )
    }

    /// A server that has just started may have accepted a code before.
    func testCodeCanBeEnteredAgainWhenTheServerWasNotReady() throws {
        try check(
            """
            credkit-server --users users --otp-file codes --site $url --trusted-proxy 127.0.0.1 --listen 127.0.0.1:0 \\
                > other 2> /dev/null & other=$!
            for i in {1..600}; do [ -s other ] || sleep 0.1; done
            url=$(cut -d' ' -f3 other)
            login jar bob s3cret
            post jar /auth/login "ticket=$(field ticket)" "otp=$(credkit otp code phone bob)"; notice | sed 's/ in .*//'
            post jar /auth/login "ticket=$(field ticket)"; notice
            kill $other
            """,
            """
            200
            503
            Logins are not possible at the moment. Try again
            200
            Enter the one-time code.

            """
        )
    }

    func testScriptsGet401AndBrowsersThePage() throws {
        try check(
            """
            status -H 'Accept: text/html' $url/
            status $url/; grep -ci '^location' head
            status -H 'Sec-Fetch-Mode: cors' -H 'Accept: text/html' $url/
            for mode in navigate cors; do
                status -H "Sec-Fetch-Mode: $mode" -H 'X-Forwarded-Proto: http' -H "X-Forwarded-Host: ${url#http://}" \\
                    -H 'X-Forwarded-Uri: /a?b' -H 'X-Forwarded-For: 192.0.2.1' $direct/auth/forward
                grep -ci '^location: .*rd=.*%2Fa%3Fb' head
            done
            """,
            "302\n401\n0\n401\n302\n1\n401\n0\n"
        )
    }

    func testFilesAreServedToUsersAloneAlsoIfTheyAreUnchanged() throws {
        try check(
            """
            status $url/static/page.html
            login jar alice s3cret
            status -b jar $url/static/page.html; cat answer
            tag=$(tr -d '\\r' < head | sed -n 's/^ETag: //p')
            status -b jar -H "If-None-Match: $tag" $url/static/page.html
            status -H "If-None-Match: $tag" $url/static/page.html
            """,
            "401\n303 SITE/\n200\nfile\n304\n401\n"
        )
    }

    func testLogoutEndsOneSessionOrAll() throws {
        try check(
            """
            for jar in jar1 jar2 jar3; do login $jar alice s3cret; done
            login other carol s3cret
            curl -s -b jar1 $url/auth/login | sed -n 's/.*<strong>\\(.*\\)<.strong>.*/\\1/p'
            cp jar1 copy; post jar1 /auth/logout
            status -b jar1 $url/; status -b copy $url/; status -b jar2 $url/
            cp jar2 copy; post jar2 /auth/logout everywhere=1
            status -b copy $url/; status -b jar3 $url/; status -b other $url/
            """,
            """
            303 SITE/
            303 SITE/
            303 SITE/
            303 SITE/
            alice
            303 SITE/auth/login
            401
            401
            200
            303 SITE/auth/login
            401
            401
            200

            """
        )
    }

    func testLimitIsToldInWords() throws {
        try check(
            options: "--attempts 2",
            """
            login jar alice wrong; login jar alice wrong; login jar alice s3cret
            notice | sed 's/[0-9]* minutes*/N minutes/'; grep -ci '^retry-after: [0-9]' head
            """,
            "401\n401\n429\nToo many attempts. Try again in N minutes.\n1\n"
        )
    }

    func testAddressThatIsRefusedLeadsToItsSite() throws {
        try check(
            options: "--site https://wiki.example.org",
            """
            status -H 'Sec-Fetch-Mode: navigate' -H 'X-Forwarded-For: 192.0.2.1' -H 'X-Forwarded-Proto: https' \\
                -H 'X-Original-URL: https://wiki.example.org/a\\b' $direct/auth/check
            sed -n 's/\\r$//; s/^location: //Ip' head
            """,
            "401\nhttps://wiki.example.org/auth/login?rd=https%3A%2F%2Fwiki.example.org%2F\n"
        )
    }

    func testPageIsSmallAlsoWithLongNamesAndAddresses() throws {
        try check(
            """
            small() { [ $(wc -c < answer) -lt 14336 ] && echo small; }
            long() { head -c $1 /dev/zero | tr '\\0' "$2"; }
            rd="rd=$url/$(long 490 '"')"
            login jar "$(long 255 '"')" wrong "$rd"; small; field username | wc -c; field rd | grep -c quot
            login jar "$(long 256 a)" s3cret "$rd"; small; field username; notice
            login jar "$(long 4000 '"')" '' "$rd"; small; field username
            login jar bob s3cret "$rd"; small; field rd | grep -c quot
            login jar bob s3cret "rd=$url/$(long 510 '"')"; small; field rd
            """,
            """
            401
            small
            1531
            1
            401
            small

            The user name or the password is wrong.
            400
            small

            200
            small
            1
            200
            small

            """
        )
    }

    func testPageIsSmallAndBoundToItsSite() throws {
        try check(
            options: "--page-title 'Tom & \"Jerry\"' --page-color '#FFEE00'",
            """
            status $url/auth/login
            [ $(wc -c < answer) -lt 14336 ] && echo small
            grep -cE '<script|javascript:|src=|https://' answer
            grep -o '<h1>.*</h1>' answer; grep -o 'background:#ffee00;color:#000' answer
            nonce=$(sed -n "s/.*style nonce=.\\([^\\"]*\\).>.*/\\1/p" answer)
            tr -d '\\r' < head | grep -i '^content-security-policy' | sed "s,$nonce,NONCE,; s,$url,SITE,"
            status -G -d "rd=$url/a" $url/auth/login
            tr -d '\\r' < head | grep -i '^content-security-policy' | grep -o 'form-action[^;]*' | sed "s,$url,SITE,"
            tr -d '\\r' < head | grep -iE '^(cache-control|x-content-type|referrer-policy|x-frame)' | tr A-Z a-z | sort
            status -I $url/auth/login
            status -X DELETE $url/auth/login; status $url/auth/logout
            """,
            """
            200
            small
            0
            <h1>Tom &amp; &quot;Jerry&quot;</h1>
            background:#ffee00;color:#000
            Content-Security-Policy: default-src 'none'; style-src 'nonce-NONCE'; form-action 'self'; base-uri 'none'; \
            frame-ancestors 'none'
            200
            form-action 'self' SITE
            cache-control: no-store
            referrer-policy: same-origin
            x-content-type-options: nosniff
            x-frame-options: deny
            200
            405
            405

            """
        )
    }
}
