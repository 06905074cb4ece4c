// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// A site behind nginx that `credkit-server` protects, as docs/operating.md configures both, but without TLS.
enum ProtectedSite {
    /// Runs a script with the site at `$url`. The server's own address is `$direct`, and its log is in `log`.
    ///
    /// The users are alice and carol, with the password `s3cret`, Zoë, whose name is not ASCII, and bob, who needs a code of
    /// `credkit otp code phone bob` as well. The site answers with the user and the path that it gets;
    /// below /static are files, and /show is answered with the other headers that the site gets.
    ///
    /// - Parameters:
    ///   - shell: The folder with the programs.
    ///   - options: Further options of the server.
    ///   - script: The script. `form JAR` prints the token of the page, `post JAR FIELD…` posts a form with it and prints the status
    ///     and the redirect, `login JAR NAME PASSWORD FIELD…` logs in, and `status OPTION…` prints the status of a request. The
    ///     last answer is in `answer`, its head in `head`.
    /// - Returns: The script's output.
    /// - Throws: `XCTSkip` without nginx.
    static func run(_ shell: Shell, _ options: String, _ script: String) throws -> Shell.Outcome {
        guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") else {
            throw XCTSkip("nginx is not installed")
        }
        // Kept until both are chosen, so that they differ.
        var ports = [try FreePort(), try FreePort()]
        let (port, backend) = (ports[0].number, ports[1].number)
        ports = []
        return try shell.run(
            """
            umask 077
            hash=$(printf s3cret | credkit hash argon2id --memory 1MiB --passes 1)
            printf '%s:%s\\n' alice "$hash" bob "$hash" carol "$hash" Zoë "$hash" > users
            printf GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ | credkit otp add phone bob
            printf 'bob:%s\\n' "$(credkit otp uri phone bob)" > codes
            (umask 022; mkdir static; echo file > static/page.html)
            url=http://127.0.0.1:\(port)
            credkit-server --users users --otp-file codes --first-start --site $url --trusted-proxy 127.0.0.1 \
                --listen 127.0.0.1:0 \(options) > address 2> log & server=$!
            for i in {1..600}; do [ -s address ] || sleep 0.1; done
            direct=$(cut -d' ' -f3 address)
            cat > nginx.conf <<'END'
            daemon off; pid nginx.pid; error_log nginx.log; worker_processes 1;
            events {}
            http {
                access_log off;
                client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
                map $http_cookie $other_cookies {
                    default $http_cookie;
                    "~^(?<before>(?:.*; ?)?)__Host-credkit=[^;]*(?:; ?)?(?<after>.*)$" $before$after;
                }
                map $other_cookies $site_cookies {
                    default $other_cookies;
                    "~^(?<first>(?:.*; ?)?)__Secure-credkit=[^;]*(?:; ?)?(?<last>.*)$" $first$last;
                }
                server {
                    listen 127.0.0.1:\(port);
            \(configuration)
                }
                server {
                    listen 127.0.0.1:\(backend);
                    location / { return 200 "user=$http_remote_user path=$request_uri\\n"; }
                    location /show {
                        return 200 "host=$http_host for=$http_x_forwarded_for proto=$http_x_forwarded_proto
            forwarded=$http_x_forwarded_host cookie=$http_cookie\\n";
                    }
                }
            }
            END
            sed -i "s,http://127.0.0.1:8080,$direct,; s,http://127.0.0.1:3000,http://127.0.0.1:\(backend)," nginx.conf
            /usr/sbin/nginx -p $PWD -c nginx.conf -e nginx.log 2> /dev/null & nginx=$!
            trap 'kill $nginx; kill -9 $server 2> /dev/null' EXIT
            for i in {1..100}; do curl -s -o /dev/null $url/auth/login && break; sleep 0.05; done
            form() { curl -s -b $1 -c $1 $url/auth/login | sed -n 's/.*name="token" value="\\([^"]*\\)".*/\\1/p'; }
            field() { sed -n 's/.*name="'$1'" value="\\([^"]*\\)".*/\\1/p' answer; }
            notice() { sed -n 's/.*role="alert"[^>]*>\\(.*\\)<.p>.*/\\1/p' answer; }
            post() {
                local jar=$1 path=$2 data=(); shift 2
                for item; do data+=(--data-urlencode "$item"); done
                curl -s -o answer -D head -b $jar -c $jar --data-urlencode "token=$(form $jar)" "${data[@]}" \
                    -w '%{http_code} %{redirect_url}\\n' $url$path | sed "s,$url,SITE,; s, *$,,"
            }
            login() { local jar=$1 name=$2 word=$3; shift 3; post $jar /auth/login "username=$name" "password=$word" "$@"; }
            status() { curl -s -o answer -D head -w '%{http_code}\\n' "$@"; }
            \(script)
            """
        )
    }

    /// The part of the configuration that the page shows for a site, with more locations.
    private static let configuration = """
        auth_request /auth/check;
        auth_request_set $credkit_user $upstream_http_remote_user;
        auth_request_set $credkit_login $upstream_http_location;
        error_page 401 = @login;
        proxy_set_header Remote-User $credkit_user;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Forwarded-Host $http_host;
        proxy_set_header Cookie $site_cookies;
        location = /auth/check {
            internal;
            proxy_pass http://127.0.0.1:8080;
            proxy_pass_request_body off;
            proxy_set_header Host $http_host;
            proxy_set_header Content-Length "";
            proxy_set_header If-None-Match "";
            proxy_set_header If-Modified-Since "";
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
        }
        location ^~ /auth/ {
            auth_request off;
            proxy_pass http://127.0.0.1:8080;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
        }
        location / {
            proxy_pass http://127.0.0.1:3000;
        }
        location /other/ {
            proxy_pass http://127.0.0.1:3000;
        }
        location /own/ {
            proxy_set_header X-Own 1;
            proxy_pass http://127.0.0.1:3000;
        }
        location ~ \\.php$ {
            proxy_pass http://127.0.0.1:3000;
        }
        location /static/ {
            root .;
        }
        location @login {
            if ($credkit_login) { return 302 $credkit_login; }
            return 401;
        }
        """
}
