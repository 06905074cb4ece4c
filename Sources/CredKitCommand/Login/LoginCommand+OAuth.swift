// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal

extension LoginCommand {
    /// How the user logs in.
    enum Way: Equatable {
        /// With what the command reads: a password or a token.
        case secret
        case device
        case browser(isOpened: Bool)
    }

    /// Chooses the way, once: a login that was refused in one way is not tried in another one, which a policy of the server may
    /// forbid.
    func way(for profile: LoginProfile) throws -> Way {
        if passwordOptions.isGiven {
            guard oauthOptions.useDeviceCode || oauthOptions.noLaunchBrowser else { return .secret }
            throw ValidationError("A token was given: remove --use-device-code and --no-launch-browser.")
        }
        if oauthOptions.useDeviceCode {
            guard profile.hasDeviceLogin else {
                throw ValidationError(
                    "The server has no login with another device (\"deviceAuthorizationPath\" in a profile)."
                )
            }
            return .device
        }
        guard profile.hasBrowserLogin else { return profile.hasDeviceLogin ? .device : .secret }
        if oauthOptions.noLaunchBrowser { return .browser(isOpened: false) }
        switch SystemBrowser().choice {
        case .open: return .browser(isOpened: true)
        case .deviceFlow: return profile.hasDeviceLogin ? .device : .browser(isOpened: false)
        }
    }

    /// Logs in without a password of the command.
    func logIn(
        _ session: LoginSession,
        _ account: String,
        _ way: Way,
        _ profile: LoginProfile
    ) async throws(ClientError) {
        let savesToken = !sessionOptions.noSave
        guard case .browser(let isOpened) = way else {
            return try await session.logInWithDevice(
                username: account,
                savesToken: savesToken,
                showing: Self.show
            )
        }
        let forwarding = isOpened ? nil : Self.forwarding(to: profile.redirectURL ?? "")
        try await session.logInWithBrowser(username: account, savesToken: savesToken) { url in
            Self.open(url, isOpened: isOpened, forwarding)
        }
    }

    /// Shows what to open, and opens it.
    private static func open(_ url: HTTPURL, isOpened: Bool, _ forwarding: String?) {
        StandardStreams.report(
            "open in a browser of this computer, within 5 minutes (Ctrl-C ends the login): \(url.absoluteString)"
        )
        if let forwarding { StandardStreams.report(forwarding) }
        guard isOpened else { return }
        do throws(ClientError) {
            try SystemBrowser().open(url)
        } catch {
            // The user can still open the URL.
            StandardStreams.report(error.description)
        }
    }

    /// Returns how a browser of another computer reaches this one.
    private static func forwarding(to redirectURL: String) -> String {
        guard let port = (try? Origin(redirectURL))?.port, port != 80 else {
            return
                "from another computer: register http://127.0.0.1:PORT/callback, give it with --redirect-uri, and "
                + "connect with ssh -L PORT:127.0.0.1:PORT"
        }
        return "from another computer: connect with ssh -L \(port):127.0.0.1:\(port)"
    }

    /// Shows what to do with the other device.
    @Sendable
    private static func show(_ authorization: DeviceAuthorization) {
        let minutes = max(1, authorization.lifetime.components.seconds / 60)
        let limit = minutes == 1 ? "a minute" : "\(minutes) minutes"
        StandardStreams.report(
            "open \(authorization.verificationURI) and enter the code \(authorization.userCode) within \(limit)"
        )
        if let complete = authorization.verificationURIComplete {
            StandardStreams.report("or open \(complete)")
        }
        StandardStreams.report("confirm only if you have started this login yourself")
    }
}
