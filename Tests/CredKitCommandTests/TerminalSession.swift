// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation

/// The result of a command on a real pseudo-terminal that python3 controls.
struct TerminalSession: Decodable {
    /// The text on the screen.
    let screen: String
    /// The exit status; negative for the signal that ended the command.
    let status: Int
    /// Whether the terminal echoes input afterwards.
    let echo: Bool

    /// Types answers at prompts; prints the screen text, then the exit status.
    private static let driver = #"""
        import fcntl, json, os, pty, select, signal, struct, sys, termios, time
        command, answers = json.loads(sys.argv[1]), json.loads(sys.argv[2])
        child, terminal = pty.fork()
        if child == 0:
            # The parent process may have had some signals ignored or blocked.
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGHUP, signal.SIGTSTP):
                signal.signal(ignored, signal.SIG_DFL)
            os.execvp(command[0], command)
        screen = b""
        # Kept open on this side, so that the settings can still be read when the child has gone.
        TIOCGPTN = 0x80045430
        number = struct.unpack("I", fcntl.ioctl(terminal, TIOCGPTN, bytes(4)))[0]
        other = os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY)
        def read(seconds):
            global screen
            end = time.time() + seconds
            while time.time() < end:
                if select.select([terminal], [], [], 0.05)[0]:
                    try:
                        data = os.read(terminal, 4096)
                    except OSError:
                        return False
                    if not data:
                        return False
                    screen += data
                    return True
            return True
        for prompt, answer in answers:
            seen = len(screen)
            end = time.time() + 20
            while prompt.encode() not in screen[seen:] and time.time() < end:
                if not read(1): break
            if prompt.encode() not in screen[seen:]:
                sys.exit(f"the prompt {prompt!r} does not appear: {screen!r}")
            time.sleep(0.05)
            os.write(terminal, answer.encode())

        end = time.time() + 20
        done, status = 0, 0
        while done == 0 and time.time() < end:
            read(0.05)
            done, status = os.waitpid(child, os.WNOHANG)
        if done == 0:
            os.kill(child, 9)
        status = os.waitstatus_to_exitcode(status)
        echo = termios.tcgetattr(other)[3] & termios.ECHO != 0
        # After its other end closes, a terminal returns the remaining output and then an error.
        os.close(other)
        seen = -1
        while len(screen) > seen:
            seen = len(screen)
            read(1)
        print(json.dumps({"screen": screen.decode(), "status": status, "echo": echo}))
        """#

    private struct Failure: Error { let message: String }

    /// Runs a command, and types each answer when its prompt appears on the screen.
    init(_ shell: Shell, _ command: [String], _ answers: [[String]]) throws {
        try Self.driver.write(
            to: shell.folder.appendingPathComponent("driver.py"),
            atomically: true,
            encoding: .utf8
        )
        let json = try [JSONEncoder().encode(command), JSONEncoder().encode(answers)].map {
            String(decoding: $0, as: UTF8.self)
        }
        let outcome = try shell.run("python3 driver.py '\(json[0])' '\(json[1])'")
        guard outcome.status == 0 else { throw Failure(message: outcome.errors) }
        self = try JSONDecoder().decode(Self.self, from: outcome.output)
    }
}
