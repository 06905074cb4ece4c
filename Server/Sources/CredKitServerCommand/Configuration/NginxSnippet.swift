// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What `credkit-server init` writes for nginx: a site whose visitors must log in.
enum NginxSnippet {
    static let text = """
        # Include this in a 'server' of nginx with TLS. Visitors of the site must log in; the site gets the user's name in the
        # header Remote-User, which clients cannot set. The locations of the site stay as they are.

        # For all locations. But 'return' and 'rewrite' answer before the check, and a location that has a proxy_set_header of its own
        # inherits none of these and must repeat them all: otherwise it gets the cookie of the session, and no user. One with an
        # error_page of its own must repeat that: otherwise it sends nobody to the login page. One with fastcgi_pass needs
        # 'fastcgi_param REMOTE_USER $credkit_user;' and 'fastcgi_param HTTP_REMOTE_USER $credkit_user;'.
        auth_request /auth/check;
        auth_request_set $credkit_user $upstream_http_remote_user;
        auth_request_set $credkit_login $upstream_http_location;
        error_page 401 = @credkit_login;
        proxy_set_header Remote-User $credkit_user;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Forwarded-Host $http_host;
        # The site does not get the cookie of the session.
        set $credkit_cookies $http_cookie;
        if ($credkit_cookies ~ "^((?:.*; ?)?)__Host-credkit=[^;]*(?:; ?)?(.*)$") {
            set $credkit_cookies $1$2;
        }
        if ($credkit_cookies ~ "^((?:.*; ?)?)__Secure-credkit=[^;]*(?:; ?)?(.*)$") {
            set $credkit_cookies $1$2;
        }
        proxy_set_header Cookie $credkit_cookies;

        location = /auth/check {
            internal;
            proxy_pass http://127.0.0.1:8080;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            # A conditional request would be answered by 304, which is an error here.
            proxy_set_header If-None-Match "";
            proxy_set_header If-Modified-Since "";
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
        }

        # No regular expression takes requests away from the login page.
        location ^~ /auth/ {
            auth_request off;
            proxy_pass http://127.0.0.1:8080;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
        }

        # The links of 'credkit-server users' are in no log.
        location = /auth/link {
            auth_request off;
            access_log off;
            error_log /dev/null;
            proxy_pass http://127.0.0.1:8080;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
        }

        location @credkit_login {
            if ($credkit_login) {
                return 302 $credkit_login;
            }
            return 401;
        }

        """
}
