// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// A `credkit-server` behind nginx.
enum ProxiedServer {
    /// Runs a script with the server behind nginx at `$url`, which is on `$port`. The server's own address is `$direct`, and
    /// its process `$server`.
    ///
    /// - Parameters:
    ///   - options: The server's options.
    ///   - users: Writes the file `users`.
    ///   - header: What nginx tells the server.
    ///   - script: The script, which finds the server's log in `log`.
    /// - Returns: The script's output.
    /// - Throws: `XCTSkip` without nginx.
    static func run(
        _ options: String,
        users: String,
        header: String,
        _ script: String
    ) throws -> Shell.Outcome {
        guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") else {
            throw XCTSkip("nginx is not installed")
        }
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        return try shell.run(
            """
            \(users)
            credkit-server --users users --listen 127.0.0.1:0 \(options) > address 2> log & server=$!
            for i in {1..600}; do [ -s address ] || sleep 0.1; done
            direct=$(cut -d' ' -f3 address)
            # A free port can be taken by another program before nginx has it.
            for i in {1..20}; do
                port=$((20000 + RANDOM % 10000))
                cat > nginx.conf <<END
            daemon off; pid nginx.pid; error_log nginx.log; worker_processes 1;
            events {}
            http {
                access_log off;
                client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
                server {
                    listen 127.0.0.1:$port;
                    location / {
                        proxy_pass $direct;
                        \(header)
                    }
                }
            }
            END
                /usr/sbin/nginx -p $PWD -c nginx.conf -e nginx.log 2> /dev/null & nginx=$!
                for j in {1..100}; do
                    kill -0 $nginx 2> /dev/null || break
                    curl -s -o /dev/null 127.0.0.1:$port/health/live && break 2
                    sleep 0.05
                done
            done
            trap 'kill $nginx; kill -9 $server 2> /dev/null' EXIT
            url=http://127.0.0.1:$port
            \(script)
            """
        )
    }
}
