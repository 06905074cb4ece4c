// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import XCTest

/// Runs CredKit's client and a Python client against `article_server.py`, a server of the legacy timestamped
/// login that contains no CredKit code.
final class ArticleServerTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell()
        let scripts = TestScripts.folder.path
        let outcome = try shell.run("cp '\(scripts)/python_login_client.py' '\(scripts)/article_server.py' .")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    override func tearDown() { shell.remove() }

    func testClientLogsInToTheServerOfTheArticleAndRenews() throws {
        // Long enough for the request after the login, which runs as a separate process.
        let server = try ServerProcess(shell, "python3 article_server.py --password s3cret --session-ttl 8")
        let outcome = try shell.run(
            """
            export CREDKIT_BACKEND=vault CREDKIT_VAULT=$PWD/article.vault CREDKIT_PASSPHRASE=tests XDG_STATE_HOME=$PWD/state
            printf wrong | credkit login \(server.url) --user zhang --key-phrase itheima --quiet 2> /dev/null; echo $?
            printf s3cret | credkit login \(server.url) --user zhang --key-phrase itheima --quiet; echo $?
            credkit request \(server.url)/studentList > first; sleep 8.5
            credkit request \(server.url)/studentList | cmp - first && grep -c stuId first
            credkit logout 2> /dev/null; credkit request \(server.url)/studentList > /dev/null 2>&1; echo $?
            credkit request \(server.url)/stats
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            77
            0
            1
            1
            {"logins": 2, "refused": 1, "served": 2}

            """,
            outcome.errors
        )
    }

    func testPythonClientLogsInToTheServerOfTheArticle() throws {
        let server = try ServerProcess(shell, "python3 article_server.py --password s3cret --session-ttl 6")
        let outcome = try shell.run(
            """
            python3 - \(server.url) <<'END'
            import sys, urllib.request; from python_login_client import *
            print(proof("zhang", "2016-08-17 10:00"))
            client = Client(sys.argv[1])
            print(client.send("GET", "/studentList")[0], client.log_in(password="wrong"), client.log_in())
            print(client.send("GET", "/studentList")[0], client.send("POST", "/logout.php", {})[0])
            own = datetime.datetime.now()
            print([client.post("zhang", proof("s3cret", (own - datetime.timedelta(minutes=ago)).strftime("%Y-%m-%d %H:%M")))[1]
                   for ago in (-2, 0, 3)])
            time.sleep(6.5)
            print(client.send("GET", "/studentList")[0], client.send("GET", "/stats")[1])
            END
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            65b603186158699891ad8c45cb5e367e
            401 [200, -1] [200, 1]
            200 404
            [-1, 1, -1]
            401 {"logins": 2, "refused": 3, "served": 1}


            """,
            outcome.errors
        )
    }
}
