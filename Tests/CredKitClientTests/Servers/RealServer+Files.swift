// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Servers of the files in a folder. Below `/limited`, they accept bodies of up to a mebibyte.
extension RealServer {
    /// Apache httpd, with WebDAV, and additional lines of the configuration.
    static func httpd(_ root: String, in folder: String, _ lines: String = "") throws -> RealServer {
        let modules = [
            "mpm_event", "authz_core", "alias", "expires", "headers", "filter", "deflate", "dav", "dav_fs",
        ]
        let text = """
            ServerRoot \(folder)
            ServerName localhost
            Listen 127.0.0.1:PORT
            PidFile \(folder)/httpd.pid
            ErrorLog \(folder)/httpd.log
            User www-data
            Group www-data
            \(modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
            StartServers 1
            ServerLimit 1
            ThreadsPerChild 8
            MinSpareThreads 1
            MaxSpareThreads 8
            MaxRequestWorkers 8
            DavLockDB \(folder)/locks
            DocumentRoot \(root)
            <Directory \(root)>
                Dav On
            </Directory>
            <Location /limited>
                LimitRequestBody 1048576
            </Location>
            \(lines)
            """
        let path = folder + "/httpd.conf"
        return try RealServer(["/usr/sbin/apache2", "-f", path, "-DFOREGROUND"], files: [path: text])
    }

    /// nginx, with WebDAV, and additional lines of the configuration.
    static func nginx(_ root: String, in folder: String, _ lines: String = "") throws -> RealServer {
        let text = """
            daemon off; worker_processes 1; pid \(folder)/nginx.pid; error_log \(folder)/nginx.log;
            events { worker_connections 64; }
            http {
                access_log off; client_max_body_size 0; client_body_temp_path \(folder)/0 1;
                proxy_temp_path \(folder)/1; fastcgi_temp_path \(folder)/2; uwsgi_temp_path \(folder)/3;
                scgi_temp_path \(folder)/4;
                server {
                    listen 127.0.0.1:PORT; root \(root); dav_methods PUT DELETE;
                    location /limited { client_max_body_size 1m; }
                    \(lines)
                }
            }
            """
        let path = folder + "/nginx.conf"
        let words = ["/usr/sbin/nginx", "-c", path, "-e", folder + "/nginx.log"]
        return try RealServer(words, files: [path: text])
    }

    /// The server of the php command, which runs a program of this text for each request.
    static func php(_ root: String, in folder: String, _ program: String? = nil) throws -> RealServer {
        let path = folder + "/router.php"
        let words = ["php", "-n", "-d", "upload_max_filesize=0", "-S", "127.0.0.1:PORT", "-t", root]
        guard let program else { return try RealServer(words) }
        return try RealServer(words + [path], files: [path: "<?php " + program])
    }

    /// FileResponse of aiohttp, or StaticFiles of Starlette over uvicorn.
    static func python(_ framework: String, _ root: String) throws -> RealServer {
        try RealServer(python: "file_server.py", [framework, root])
    }
}
