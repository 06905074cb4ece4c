// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal
import Glibc

/// The `credkit-server init` command: creates what a server needs, for a start from nothing.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit-server init",
        abstract: "Create a folder with a user and all files of a server.",
        discussion: """
            For instance:
              credkit-server init login --site https://www.example.org
              credkit-server --config login/credkit-server.conf --listen 127.0.0.1:0

            The folder has the options of the server, its users and keys, and files for nginx and systemd. The password of the \
            user is random and printed once, unless --password-file is given. Nothing is overwritten: the \
            folder must not exist, or be empty. If something fails, it is not created.
            """
    )

    @Argument(help: "The folder.", completion: .directory)
    var folder: FileArgument

    @Option(help: ArgumentHelp("The name of the user.", valueName: "name"))
    var user = "admin"

    @Option(
        help: ArgumentHelp(
            "A file with the user's password; - is standard input, with a prompt at a terminal.",
            valueName: "file"
        )
    )
    var passwordFile: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The origin of a site whose visitors must log in, such as https://www.example.org.",
            valueName: "origin"
        )
    )
    var site: SiteOrigin?

    /// The strength of a random password.
    private static let passwordBits = 100

    func validate() throws {
        try UserName.check(user, hasSite: site != nil)
    }

    func run() throws {
        // A closed output is then an error, after which nothing is left.
        signal(SIGPIPE, SIG_IGN)
        let new = try NewFolder(at: folder)
        let (password, isRandom) = try newPassword()
        let hash = try PasswordContext().hash(password)
        let files = try InitialFiles.all(in: new.path, user: user, hash: hash, site: site)
        try new.write(files) {
            if isRandom {
                try StandardStreams.write(Array("The password of \(user), which is shown only now: ".utf8))
                try StandardStreams.write(password)
                try StandardStreams.writeLine("")
            }
        }
        let names = files.map { "  " + Self.padded($0.name) + $0.purpose }
        let text = """
            Created \(new.path) with
            \(names.joined(separator: "\n"))
            Next:
              credkit-server check --config \(new.path)/credkit-server.conf
            \(Self.start(new.path))
            """
        try StandardStreams.write(StandardStreams.showable(Array("\(text)\n\(inclusion(new.path))".utf8)))
    }

    /// Returns how to start a server with the files in a folder.
    private static func start(_ folder: String) -> String {
        // A minimal Debian has no sudo.
        let sudo = geteuid() == 0 ? "" : "sudo "
        let enable = "\(sudo)systemctl enable --now credkit-server"
        // A copy of the unit would hide the package's own, and its updates.
        guard folder != InitialFiles.packagedFolder || access(InitialFiles.packagedUnit, F_OK) != 0 else {
            return "  \(enable)"
        }
        let program = InitialFiles.program
        let install =
            InitialFiles.isHidden(program)
            ? "\n  \(sudo)install -m 755 \(program) \(InitialFiles.packagedProgram)" : ""
        return """
              credkit-server --config \(folder)/credkit-server.conf
            Or as a service, which starts \(InitialFiles.visible(program)):\(install)
              \(sudo)install -m 644 \(folder)/credkit-server.service /etc/systemd/system/ && \(enable)
            """
    }

    /// Returns the line for the proxy of the site.
    private func inclusion(_ folder: String) -> String {
        guard let site else { return "" }
        return """
            In the server of nginx for \(site.text); for Caddy, see docs/operating.md:
              include \(folder)/nginx.conf;

            """
    }

    private static func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(2, 24 - name.utf8.count))
    }

    private func newPassword() throws -> (password: SecretBytes, isRandom: Bool) {
        guard let passwordFile else {
            let generator = try PasswordGenerator(
                bits: Self.passwordBits,
                alphabet: .readable,
                isGrouped: true
            )
            return (try generator.generate(), true)
        }
        let reader = try SecretReader(
            file: passwordFile,
            descriptor: nil,
            option: "--password-file",
            prompt: "Password of \(user): "
        )
        let password = try reader.readNew(keepsLineFeed: false)
        guard !password.isEmpty else {
            throw CommandFailure(.malformed, "\(passwordFile.quotedForMessage): the password is empty")
        }
        return (password, false)
    }
}
