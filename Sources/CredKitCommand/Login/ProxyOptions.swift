// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// Which proxy to use, and as whom. Its password never stands on the command line.
struct ProxyOptions: ParsableArguments {
    @Option(
        name: [.customShort("x"), .customLong("proxy")],
        help: ArgumentHelp(
            "The proxy, as [scheme://][user@]host[:port] with http, https or socks5h; '' for none. "
                + "(default: $http_proxy, $https_proxy, $all_proxy, which never apply to this computer). Hosts that "
                + "$no_proxy names are reached without a proxy.",
            valueName: "url"
        )
    )
    var proxy: TextArgument?

    @Option(
        help: ArgumentHelp(
            "The user at the proxy. The password is that of the keychain for the proxy's URL and this user, if neither "
                + "--proxy-password-fd nor --proxy-password-file is given.",
            valueName: "name"
        )
    )
    var proxyUser: TextArgument?

    @Option(
        help: ArgumentHelp("A file descriptor to read the proxy's password from, to its end.", valueName: "n")
    )
    var proxyPasswordFD: Int32?

    @Option(
        help: ArgumentHelp("A file with the proxy's password; - is standard input.", valueName: "file")
    )
    var proxyPasswordFile: FileArgument?

    func validate() throws {
        guard proxyPasswordFD == nil || proxyPasswordFile == nil else {
            throw ValidationError("Give one of --proxy-password-fd and --proxy-password-file.")
        }
        guard proxyPasswordFD ?? 0 >= 0 else {
            throw ValidationError("--proxy-password-fd takes a number from 0 on.")
        }
        let proxy = try parsedProxy()
        guard proxy != nil || (proxyUser == nil && !namesPassword) else {
            throw ValidationError(
                "--proxy-user and the options for the proxy's password go with --proxy and its URL."
            )
        }
        guard proxyUser == nil || proxy?.username == nil else {
            throw ValidationError("Give the proxy's user in --proxy or with --proxy-user.")
        }
        guard !namesPassword || user(of: proxy) != nil else {
            throw ValidationError("The proxy's password goes with its user: give --proxy-user.")
        }
        // What no proxy could be asked as, such as a user with ':' in its name.
        _ = try selection()
    }

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] { [proxyPasswordFD ?? proxyPasswordFile?.descriptor].compactMap { $0 } }

    private var namesPassword: Bool { proxyPasswordFD != nil || proxyPasswordFile != nil }

    private func user(of proxy: ProxyText?) -> String? { proxyUser?.text ?? proxy?.username }

    /// The URL of `--proxy`; `nil` if there is none, or none is to be used.
    private func parsedProxy() throws -> ProxyText? {
        guard let proxy, !proxy.text.isEmpty else { return nil }
        let parsed: ProxyText
        do throws(LoginError) {
            parsed = try ProxyText(proxy.text)
        } catch {
            // Without the text, which may have a password in it.
            throw ValidationError("--proxy: \(error.description).")
        }
        guard parsed.password == nil else {
            throw ValidationError(
                "A password never stands on the command line, where everybody on this machine can see it: give that of "
                    + "the proxy with --proxy-password-fd or --proxy-password-file, or keep it in the keychain."
            )
        }
        return parsed
    }

    /// Which proxy the command line says, without its password.
    func selection() throws -> ProxySelection {
        guard let parsed = try parsedProxy() else { return proxy == nil ? .environment : .none }
        return .proxyHonoringNoProxy(
            try Self.proxy(parsed, user: user(of: parsed), password: try SecretBytes(""))
        )
    }

    /// The proxy of the command line with its password; `nil` if there is no proxy, or it has no user. The password is in
    /// the keychain that is got by `keychain` if no option names another place.
    func proxyWithPassword(_ keychain: (() async throws -> Keychain)?) async throws -> Proxy? {
        guard let parsed = try parsedProxy(), let user = user(of: parsed) else { return nil }
        if namesPassword {
            let source = try SecretReader(
                file: proxyPasswordFile,
                descriptor: proxyPasswordFD,
                option: "--proxy-password-fd",
                prompt: "Password at the proxy: "
            )
            return try Self.proxy(parsed, user: user, password: source.readAll(keepsLineFeed: false))
        }
        guard let keychain else {
            throw ValidationError(
                "The proxy's user has a password: give --proxy-password-fd or --proxy-password-file."
            )
        }
        let service = try Self.proxy(parsed, user: nil, password: try SecretBytes("")).description
        guard let password = try await keychain().password(service: service, account: user) else {
            let command = "credkit keychain set \(service) \(ShellQuoting.quote(Array(user.utf8)))"
            throw CommandFailure(
                .refused,
                "no password of \(ShellQuoting.quote(Array(user.utf8))) at the proxy \(service) is in the keychain: "
                    + "give --proxy-password-fd or --proxy-password-file, or store it with: \(command)"
            )
        }
        return try Self.proxy(parsed, user: user, password: password)
    }

    private static func proxy(_ text: ProxyText, user: String?, password: SecretBytes) throws -> Proxy {
        do throws(LoginError) {
            return try Proxy(
                scheme: text.scheme,
                host: text.host,
                port: text.port,
                credentials: user.map { ProxyCredentials(username: $0, password: password) }
            )
        } catch {
            throw ValidationError("--proxy: \(error.description).")
        }
    }
}
