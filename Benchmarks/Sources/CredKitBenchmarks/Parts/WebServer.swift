// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// nginx on loopback, in a separate process and on free ports: over http, over https, and over https with HTTP/2. Its
/// configuration answers a login and small requests, and it serves the files of a folder.
final class WebServer {
    /// The URL of each server by kind of connection: `http`, `https`, `http2`.
    let urls: [String: String]
    /// The CA certificate of the servers, in PEM.
    var certificates: String { folder.appendingPathComponent("authority.pem").path }
    /// The folder of the served files.
    var files: URL { folder.appendingPathComponent("files") }

    /// The response to `/data`.
    static let data = #"{"code":0,"msg":"ok","data":[{"id":1,"name":"Zhang"},{"id":2,"name":"Li"}]}"#

    private let folder: URL
    private let process = Process()
    private let input = Pipe()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "credkit-bench-web-\(getpid())"
        )
        let ports = try Self.freePorts(3)
        urls = [
            "http": "http://127.0.0.1:\(ports[0])", "https": "https://localhost:\(ports[1])",
            "http2": "https://localhost:\(ports[2])",
        ]
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try makeCertificates()
        let configuration = folder.appendingPathComponent("nginx.conf")
        try Self.configuration(ports).write(to: configuration, atomically: true, encoding: .utf8)
        // nginx must end with its standard input, when this program exits for any reason: no other copy of the pipe's
        // end may stay open.
        // Foundation detects process exit through inherited descriptors: those must stay open.
        let script = """
            for path in /proc/$$/fd/*; do
                [ "${path##*/}" -le 2 ] || [ "$(readlink "$path")" != "$(readlink /proc/$$/fd/0)" ] ||
                    eval "exec ${path##*/}>&-"
            done
            PATH=$PATH:/usr/sbin
            nginx -e stderr -p "$0" -c nginx.conf &
            read -r _
            # Threads of a pool block signals, and programs that they start inherit that.
            kill -KILL $!
            wait $! 2>/dev/null
            """
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script, folder.path]
        process.standardInput = input
        try process.run()
        for port in ports { try waitUntilListening(port) }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func configuration(_ ports: [Int]) -> String {
        // One process that runs as this user and never blocks.
        """
        daemon off; master_process off; pid nginx.pid;
        events { worker_connections 1024; }
        http {
            access_log off; sendfile on; keepalive_requests 1000000000; keepalive_timeout 600s;
            client_body_temp_path temporary; proxy_temp_path temporary; fastcgi_temp_path temporary;
            uwsgi_temp_path temporary; scgi_temp_path temporary;
            ssl_certificate server.pem; ssl_certificate_key server.key; ssl_protocols TLSv1.3;
            default_type application/json;
            server {
                listen 127.0.0.1:\(ports[0]);
                listen 127.0.0.1:\(ports[1]) ssl;
                listen 127.0.0.1:\(ports[2]) ssl http2;
                location = /hmackey.php { return 200 '{"key":"any text"}'; }
                location = /loginhmac.php {
                    add_header Set-Cookie 'session=0123456789abcdef0123456789abcdef; Path=/; HttpOnly';
                    add_header X-Auth-Token fedcba9876543210fedcba9876543210;
                    return 200 '{"userId":1}';
                }
                location = /data { return 200 '\(data)'; }
                location = /fresh { add_header Cache-Control 'max-age=86400'; return 200 '\(data)'; }
                location / { root files; }
            }
        }

        """
    }

    /// Creates a CA, and a certificate for localhost that it issues.
    private func makeCertificates() throws {
        let script = """
            cd "$0"
            new="openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
            $new -x509 -days 2 -subj "/CN=CredKit benchmarks" -keyout authority.key -out authority.pem
            $new -subj "/CN=localhost" -keyout server.key -out server.csr
            printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' >names
            openssl x509 -req -days 2 -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial \\
                -extfile names -out server.pem
            """
        _ = try CommandRun(["bash", "-ec", "exec 2>/dev/null\n" + script, folder.path]).run()
    }

    private static func freePorts(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(descriptor)
            var address = loopback(port: 0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
                }
            }
            guard status == 0 else { throw Failure(description: "no port is free") }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private func waitUntilListening(_ port: Int) throws {
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while ContinuousClock.now < end {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = Self.loopback(port: port)
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if status == 0 { return }
            usleep(5000)
        }
        throw Failure(description: "nginx does not listen; is it installed (apt-get install nginx-light)?")
    }
}
