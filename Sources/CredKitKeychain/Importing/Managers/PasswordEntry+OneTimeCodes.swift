// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension PasswordEntry {
    /// A way to store a second factor in the fields of an entry.
    private enum OneTimeCodeFields: String, CaseIterable {
        /// KeePass 2.47 and later: `TimeOtp-Secret-Base32`, `TimeOtp-Period` …
        case time = "TimeOtp"
        /// KeeTrayTOTP, and KeePassXC until 2.3: `TOTP Seed`, and `TOTP Settings` as `30;6`.
        case tray = "TOTP Seed"
        /// KeePass 2.47 and later: `HmacOtp-Secret`, `HmacOtp-Counter`.
        case counter = "HmacOtp"

        /// The fields of seeds, in the order of KeePass: it takes the first one that is not empty.
        var seeds: [(name: String, encoding: OneTimeCodeParts.Encoding)] {
            guard self != .tray else { return [(rawValue, .base32)] }
            return [
                (rawValue + "-Secret", .text), (rawValue + "-Secret-Hex", .hexadecimal),
                (rawValue + "-Secret-Base32", .base32), (rawValue + "-Secret-Base64", .base64),
            ]
        }

        /// The fields of parameters.
        var parameters: [String] {
            switch self {
            case .time: ["TimeOtp-Length", "TimeOtp-Period", "TimeOtp-Algorithm"]
            case .tray: ["TOTP Settings"]
            case .counter: ["HmacOtp-Counter"]
            }
        }
    }

    /// The names of all fields for second factors.
    static let oneTimeCodeFields = Set(
        OneTimeCodeFields.allCases.flatMap { form in form.seeds.map { $0.name } + form.parameters }
    )

    /// The name of the field for a key that no code can be computed of.
    static let oneTimeCodeName = "otp"

    /// Turns what another program has as a second factor into a URI, which one-time codes are stored as. What is none becomes
    /// a field, and a further key as well.
    mutating func useOneTimeCode() {
        if let text = oneTimeCode {
            oneTimeCode = nil
            if !text.isEmpty { take(text) }
        }
        for form in OneTimeCodeFields.allCases { use(form) }
    }

    private mutating func take(_ text: SecretBytes) {
        do throws(OneTimeCodeError) {
            let (uri, hasLostNames) = try OneTimeCodeParts.uri(of: text)
            oneTimeCode = uri
            if hasLostNames {
                let detail = "kept without its names, which no URI can have; those of the entry remain"
                leaveOut("one-time code", detail, kind: "names of one-time codes", isKept: true)
            }
        } catch {
            // Also if there are as many fields as an entry may have.
            fields.append(Field(name: Self.oneTimeCodeName, value: text))
            refuseOneTimeCode("kept as the field '\(Self.oneTimeCodeName)'", error)
        }
    }

    /// Takes a further key of one-time codes, which becomes a field if the entry has one already.
    mutating func addOneTimeCode(_ name: String, _ text: SecretBytes) {
        do throws(OneTimeCodeError) {
            keep(try OneTimeCodeKey(uri: OneTimeCodeParts.uri(of: text).uri), name)
        } catch {
            add(name, text)
            refuseOneTimeCode("kept as the field '\(EntryText.shortened(name))'", error)
        }
    }

    private mutating func use(_ form: OneTimeCodeFields) {
        var used: [Int] = []
        var found: OneTimeCodeParts?
        for (name, encoding) in form.seeds where found == nil {
            guard let index = filledField(name) else { continue }
            used.append(index)
            found = OneTimeCodeParts(seed: fields[index].value, encoding: encoding)
        }
        guard var parts = found else { return }
        let key: OneTimeCodeKey
        do throws(OneTimeCodeError) {
            var parameters: [String] = []
            for name in form.parameters {
                let index = filledField(name)
                if let index { used.append(index) }
                parameters.append(try OneTimeCodeParts.parameter(index.map { fields[$0].value }))
            }
            switch form {
            case .time:
                (parts.digits, parts.period, parts.algorithm) = (parameters[0], parameters[1], parameters[2])
            case .counter: (parts.isCounter, parts.counter) = (true, parameters[0])
            case .tray: try parts.takeSettings(parameters[0])
            }
            key = try parts.key()
        } catch {
            return refuseOneTimeCode("kept as the fields '\(form.rawValue)…'", error)
        }
        // Parameters without a value say nothing.
        for name in form.parameters {
            used += fields.indices.filter { fields[$0].name == name && fields[$0].value.isEmpty }
        }
        for index in Set(used).sorted(by: >) { fields.remove(at: index) }
        keep(key, form.rawValue)
    }

    private func filledField(_ name: String) -> Int? {
        fields.firstIndex { $0.name == name && !$0.value.isEmpty }
    }

    /// Keeps a key: as that of the entry, or else as a field with its URI, unless it is the same.
    private mutating func keep(_ key: OneTimeCodeKey, _ name: String) {
        guard let uri = try? key.uri() else {
            return leaveOut("one-time code", "left out: there is not enough memory", isFailure: true)
        }
        guard let first = oneTimeCode else {
            oneTimeCode = uri
            return
        }
        guard (try? OneTimeCodeKey(ignoringNamesOf: first)) != (try? OneTimeCodeKey(ignoringNamesOf: uri))
        else { return }
        add(name, uri)
        let detail =
            "kept as the field '\(EntryText.shortened(name))': an entry has one key of one-time codes"
        leaveOut("further one-time code", detail, isKept: true)
    }

    private mutating func refuseOneTimeCode(_ place: String, _ error: OneTimeCodeError) {
        leaveOut("one-time code", "\(place): \(error)", isKept: true, isFailure: true)
    }
}
