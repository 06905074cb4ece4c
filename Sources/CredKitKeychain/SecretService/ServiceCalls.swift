// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKitSystem

/// A Secret Service during one operation of the store: its methods, with the names of the specification.
struct ServiceCalls {
    let connection: ServiceSession
    let call: ServiceCall

    static let root = "/org/freedesktop/secrets"
    private static let prefix = "org.freedesktop.Secret."

    var root: BusObject { object(Self.root, "Service") }

    /// Returns whether the connected service is still on the bus.
    func isThere() throws(KeychainError) -> Bool {
        if connection.bus.isClosed { return false }
        do throws(ServiceFailure) {
            let owner = Variant.tuple(.string(connection.owner))
            return try attempt(.bus, "NameHasOwner", owner, answer: "(b)")[0].isTrue
        } catch {
            if connection.bus.isClosed { return false }
            throw error.error
        }
    }

    /// Returns an object of the service.
    func object(_ path: String, _ interface: String) -> BusObject {
        BusObject(owner: connection.owner, path: path, interface: Self.prefix + interface)
    }

    /// Calls a method, and throws the D-Bus failure.
    func attempt(
        _ object: BusObject,
        _ method: String,
        _ arguments: Variant?,
        answer: String
    ) throws(ServiceFailure) -> Variant {
        do throws(ServiceFailure) {
            return try connection.bus.call(call, to: object, method, arguments, answer: answer)
        } catch {
            if error.isSessionLost { connection.loseSession() }
            throw error
        }
    }

    /// Calls a method, and throws an error with a message for people.
    func ask(
        _ object: BusObject,
        _ method: String,
        _ arguments: Variant?,
        answer: String
    ) throws(KeychainError) -> Variant {
        do throws(ServiceFailure) {
            return try attempt(object, method, arguments, answer: answer)
        } catch {
            throw error.error
        }
    }

    /// Returns all properties of an object; `nil` if there is no such object.
    func properties(of path: String, _ interface: String) throws(KeychainError) -> [String: Variant]? {
        var properties = object(path, interface)
        properties.interface = "org.freedesktop.DBus.Properties"
        do throws(ServiceFailure) {
            let name = Variant.string(Self.prefix + interface)
            return try attempt(properties, "GetAll", .tuple(name), answer: "(a{sv})")[0].dictionary
        } catch {
            guard error.isMissing else { throw error.error }
            return nil
        }
    }

    func setProperty(_ name: String, of path: String, _ interface: String, to value: Variant)
        throws(KeychainError)
    {
        var properties = object(path, interface)
        properties.interface = "org.freedesktop.DBus.Properties"
        let arguments = Variant.tuple(.string(Self.prefix + interface), .string(name), .boxed(value))
        _ = try ask(properties, "Set", arguments, answer: "()")
    }

    /// Shows the prompt that a call returned, if any, and waits for its end.
    ///
    /// - Parameters:
    ///   - prompt: The object path of the prompt.
    ///   - question: What the prompt asks for, if it is not the password of a keyring.
    /// - Returns: The result of the prompt; `nil` if there is none.
    /// - Throws: ``KeychainError/locked`` if no prompt is allowed.
    func finish(_ prompt: String?, asksFor question: String? = nil) throws(KeychainError) -> Variant? {
        guard let prompt, prompt != "/" else { return nil }
        return try ServicePrompt(path: prompt, connection: connection, call: call).answer(asksFor: question)
    }

    /// Waits for the end of the prompt that the creation of an item returned, if any.
    ///
    /// KeePassXC creates the item in a prompt, which shows no dialog in an unlocked collection.
    func finishCreating(_ prompt: String?) throws(KeychainError) -> Variant? {
        guard let prompt, prompt != "/", call.promptPolicy.mode != .desktop, try isKeePassXC() else {
            return try finish(prompt)
        }
        return try ServicePrompt(path: prompt, connection: connection, call: call).runSilently()
    }

    /// Returns the program that offers the service.
    func daemon() throws(KeychainError) -> SecretServiceDaemon {
        SecretServiceDaemon(process: try processNumber().flatMap(KeyringFile.name(ofProcess:)))
    }

    /// Returns whether the service is KeePassXC on this machine.
    func isKeePassXC() throws(KeychainError) -> Bool { try daemon() == .keePassXC }

    /// Unlocks a collection or an item.
    func unlock(_ path: String, asksFor question: String? = nil) throws(KeychainError) {
        let arguments = Variant.tuple(.paths([path]))
        let answer = try ask(root, "Unlock", arguments, answer: "(aoo)")
        if answer[0].texts.contains(path) { return }
        guard let unlocked = try finish(answer[1].text, asksFor: question), unlocked.texts.contains(path)
        else {
            throw .locked("the Secret Service did not unlock \(path)")
        }
    }

    /// Returns the collection of an alias; `nil` if there is none.
    func collection(alias: String) throws(KeychainError) -> String? {
        let answer = try ask(root, "ReadAlias", .tuple(.string(alias)), answer: "(o)")[0].text
        return answer == "/" ? nil : answer
    }

    /// Returns the properties of each collection, by its path.
    func collections() throws(KeychainError) -> [String: [String: Variant]] {
        var all: [String: [String: Variant]] = [:]
        for path in try properties(of: Self.root, "Service")?["Collections"]?.texts ?? [] {
            all[path] = try properties(of: path, "Collection")
        }
        return all
    }

    /// Returns the number of the service's process; `nil` if the bus does not know it.
    func processNumber() throws(KeychainError) -> UInt32? {
        do throws(ServiceFailure) {
            let owner = Variant.tuple(.string(connection.owner))
            let answer = try attempt(.bus, "GetConnectionUnixProcessID", owner, answer: "(u)")
            return answer[0].number.map { UInt32(clamping: $0) }
        } catch {
            guard error.name != nil else { throw error.error }
            return nil
        }
    }
}

extension ServiceCalls {
    /// Prepares a change of an item: gives KeePassXC time to save the earlier ones; see ``ChangePacing``.
    ///
    /// The time of waiting is not taken from the call's time for answers.
    func prepareChange() throws(KeychainError) {
        guard let process = try processNumber(),
            SecretServiceDaemon(process: KeyringFile.name(ofProcess: process)) == .keePassXC,
            let time = connection.pacing.withLock({ $0.timeUntilBurst(at: .now) })
        else { return }
        try call.token.wait(for: time)
        try waitUntilIdle(process)
        connection.pacing.withLock { $0.startBurst(at: .now) }
    }

    /// Waits while a thread of a process works: deriving keys and writing the file can take long on a busy machine.
    private func waitUntilIdle(_ process: UInt32) throws(KeychainError) {
        // A process that never rests is not waited for longer.
        let end = ContinuousClock.now + .seconds(10)
        var idleCount = 0
        while idleCount < 3, .now < end {
            idleCount = ProcessActivity.isBusy(process) ? 0 : idleCount + 1
            try call.token.wait(for: .milliseconds(20))
        }
    }
}
#endif
