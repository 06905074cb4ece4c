// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient

/// The zone of a server's clock: a name of the tz database, `UTC`, or an offset such as `+08:00`.
struct ServerZoneArgument: ExpressibleByArgument {
    let name: String

    init?(argument: String) {
        var time = LoginProfile.ChallengeSource()
        time.timeZone = argument
        // Parsing a profile checks its time zone.
        let profile = LoginProfile.timestamped(keyPhrase: "phrase", challenge: time)
        guard (try? LoginProfile(json: profile.json())) != nil else { return nil }
        name = argument
    }
}
