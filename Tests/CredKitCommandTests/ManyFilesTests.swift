// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Compares `credkit hash md5` over many files, read sixteen at once, with md5sum.
final class ManyFilesTests: XCTestCase {
    private var shell: Shell?

    override func setUpWithError() throws {
        shell = try Shell()
        let made = try run(
            """
            for i in $(seq 300); do head -c $((i * i % 7919)) /dev/urandom > small$i; done
            for i in 1 2 3; do head -c $((i * 1000000)) /dev/urandom > large$i; done
            for i in 1 2 3 4 5; do : > empty$i; done; mkfifo pipe1 pipe2; mkdir folder; truncate -s 3M sparse
            printf x > 'sp ace'; printf y > $'new\\nline'; printf secret > locked; chmod 000 locked; chmod 755 .
            """
        )
        XCTAssertEqual(made.status, 0, made.errors)
    }

    override func tearDown() { shell?.remove() }

    private func run(_ script: String, tool: String = "credkit hash md5") throws -> Shell.Outcome {
        try XCTUnwrap(shell).run(script, tool: tool)
    }

    private func compare(_ script: String, file: StaticString = #filePath, line: UInt = #line) throws {
        let expected = try run(script, tool: "md5sum")
        for kernels in ["", "portable", "avx2"] {
            var actual = try run("export CREDKIT_KERNELS=\(kernels)\n\(script)")
            actual.errors = actual.errors.replacingOccurrences(of: "credkit: ", with: "md5sum: ")
            let text = actual.text.replacingOccurrences(of: "credkit: ", with: "md5sum: ")
            XCTAssertEqual(actual.status, expected.status, script, file: file, line: line)
            XCTAssertEqual(text, expected.text, script, file: file, line: line)
            XCTAssertEqual(actual.errors, expected.errors, script, file: file, line: line)
        }
    }

    func testFilesOfManySizesInOneRun() throws {
        try compare("$T small* large* empty* sparse")
        try compare("$T large3 small1 empty1 small1 small1 'sp ace' $'new\\nline' large3 empty1")
        try compare("$T -b small*; $T --tag small* $'new\\nline'; $T -z small* $'new\\nline'")
        try compare("$T small1 small2; $T empty1 empty2; $T large1 empty1")
        try compare("ulimit -n 20; $T large* small* large* large* large* large* large* large*")
        try compare("ulimit -n 6; $T large* small* large*")
        try compare("$T small* | sort -R --random-source=large1 > list; $T -c list | tail -n 3")
    }

    func testLinesAndMessagesKeepTheirOrder() throws {
        try compare("$T small* missing1 large1 missing2 missing3 small1 folder large2 '' small2 2>&1")
        try compare("$T missing small1; $T small1 missing; $T folder folder small1 small2 folder 2>&1")
        try compare("$UNPRIVILEGED $T small1 locked large1 small2 locked small3 2>&1")
        try compare(
            "$T small1 /dev/null small2 /proc/self/mem small3 /proc/version /sys/kernel/mm/transparent_hugepage/enabled 2>&1"
        )
        try compare("$T small1 - small2 < small3; $T small1 /dev/stdin small2 < small3; $T - - < small1")
        try compare("$T small1 <(cat large1) small2 | sed s:/dev/fd/.*:pipe:")
    }

    func testListsOfManyFilesAreCheckedInOrder() throws {
        let list = """
            md5sum small* large* empty* 'sp ace' $'new\nline' | sort -R --random-source=large1 > list
            sed '3s/^./x/; 40s/^..../0000/; 77s/$/.missing/; 78s/  .*/  folder/; 200s/^\\(..\\)/\\1\\1/' list > damaged
            (head -n 150 list; md5sum - < large1 | sed 's/-$/-/'; echo; echo '# no'; printf %s "$(tail -n 100 list)") > more
            """
        for options in ["", "--quiet", "--status", "-w", "--strict --warn", "--ignore-missing"] {
            try compare("\(list); $T -c \(options) list damaged more 2>&1 < large1")
        }
        try compare(
            "\(list); $T -c - damaged < list; cat list damaged | $T -c 2>&1; $T -c small1 missing list 2>&1"
        )
        try compare(
            "\(list); $UNPRIVILEGED $T -c <(md5sum small1 locked small2 large2; cat list) 2>&1 | sed s:/dev/fd/.*:pipe:"
        )
        try compare("\(list); $T -c list > /dev/full 2> /dev/null")
        try compare(
            "\(list); yes \"$(md5sum small1)\" | head -n 9000 > list; $T -c list | md5sum"
        )
    }

    func testFolderIsListedOnceDespiteInterruptions() throws {
        let outcome = try run(
            """
            export CREDKIT_ALLOW_CORE_DUMPS=1                       # to be traced
            for i in $(seq 1200); do echo $i > many$i; done
            ls many* | awk '{ print; if (NR % 17 == 0) print "/dev/null"; if (NR % 19 == 0) print "missing" }' > names
            md5sum many* | awk '{ print } NR % 17 == 0 { print substr($0, 1, 32) "  /dev/null" }' > list
            strace -f -qq -e trace=getdents64 -o calls $T $(cat names) > sums 2> /dev/null
            wc -l < sums; test $(wc -l < calls) -lt 10 || cat calls
            strace -f -qq -e trace=getdents64 -o calls $T -c list 2> /dev/null | grep -c OK
            test $(wc -l < calls) -lt 10 || cat calls
            """
        )
        XCTAssertEqual(outcome.text, "1270\n1200\n", outcome.errors)
    }

    func testProgressCountsFilesAndNotTheList() throws {
        let outcome = try run(
            """
            md5sum small1 small2 > sums; cp small3 late; md5sum late > rest
            # On a stalling machine a file may take a second and correctly show progress, but not every time.
            for i in 1 2 3; do
                script -qec "bash -c '(cat sums; sleep 2.2; cat rest) | $T -c'" transcript > /dev/null
                grep -q /s transcript || break
            done
            cat transcript | tr -d '\\r' | sed '/^Script/d; /^$/d'
            """
        )
        XCTAssertEqual(outcome.text, "small1: OK\nsmall2: OK\nlate: OK\n", outcome.errors)
    }

    func testListEntriesAreCheckedBeforeTheRestArrives() throws {
        for tool in ["md5sum", "credkit hash md5"] {
            let outcome = try run(
                """
                mkfifo list; rm -f late; md5sum small1 small2 > sums; : > lines
                (cat sums; until [ "$(wc -l < lines)" = 2 ]; do sleep 0.05; done
                 cp small3 late; md5sum late; echo) > list &
                timeout 60 $T -c list > lines; wait; cat lines; rm list
                """,
                tool: tool
            )
            XCTAssertEqual(outcome.text, "small1: OK\nsmall2: OK\nlate: OK\n", "\(tool): \(outcome.errors)")
        }
    }

    func testDashIsStandardInputEvenIfSuchAFileExists() throws {
        // The same among enough files of one folder that the command lists the folder.
        try compare(
            """
            printf dash > ./-; printf stdin | $T small1 - small2; printf stdin | $T small1 small2 ./- - small3 -
            printf stdin | $T - small1 small2; printf stdin | $T small* small* - small1 small2
            """
        )
    }

    func testDescriptorPathsReferToInheritedDescriptors() throws {
        try compare("exec 3<&- 4<&- 5<&-; $T small* /proc/self/fd/3 /dev/fd/4 /proc/self/fd/5 small1 2>&1")
        try compare("exec 3< large1; $T small* /proc/self/fd/3 small1")
    }

    func testLastLongFileIsReadToItsEnd() throws {
        try compare(
            """
            for i in 32767 32768 32769 65536 163839 163840 163841 294912; do
                head -c $i large1 > alone; $T small1 alone; $T small* alone
            done
            """
        )
    }

    func testTwoThreadsShareFewDescriptors() throws {
        for last in [250, 252] {
            let few = "ulimit -n 256; for i in $(seq 3 \(last)); do eval \"exec $i< /dev/null\"; done"
            try compare("\(few); $T large* small* large* small* 2>&1")
        }
    }

    func testLinesDoNotWaitForABlockedFile() throws {
        // Opening a file with a lease blocks until the lease is released.
        let outcome = try run(
            """
            cat > leases.py <<'END'
            import fcntl, os, signal, subprocess, sys, time
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
            leases = [os.open(name, os.O_RDWR) for name in ("large1", "large2")]
            for lease in leases: fcntl.fcntl(lease, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            names = ["empty%d" % (i % 5 + 1) for i in range(20)]
            with open("lines", "wb") as lines:
                tool = subprocess.Popen(sys.argv[1:] + names + ["large1", "large2", "small1"], stdout=lines)
            for lease in leases:
                if signal.sigtimedwait([signal.SIGIO], 60) is None: sys.exit("The file was not opened.")
                count = len(open("lines").readlines())
                time.sleep(0.3)
                fcntl.fcntl(lease, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            print(count >= 16, tool.wait(), len(open("lines").readlines()))
            END
            python3 leases.py $T
            """
        )
        XCTAssertEqual(outcome.text, "True 0 23\n", outcome.errors)
    }

    func testPipesAreOpenedInOrder() throws {
        // One writer fills two pipes, one after the other, and then creates the file that follows them in the
        // arguments.
        for tool in ["md5sum", "credkit hash md5"] {
            let outcome = try run(
                """
                rm -f late
                (cat large1 > pipe1; cat large2 > pipe2; cat large3 > late; cat late > pipe1) &
                timeout 60 $T small1 pipe1 small2 pipe2 pipe1 late | sed 's/ .*//' > digests
                cat small1 | md5sum > expected; for f in large1 small2 large2 large3 large3; do md5sum < $f; done >> expected
                wait; sed -i 's/ .*//' expected; cmp digests expected
                """,
                tool: tool
            )
            XCTAssertEqual(outcome.status, 0, "\(tool): \(outcome.text) \(outcome.errors)")
        }
        // Results before a pipe are printed before the command waits for the pipe.
        let waiting = try run(
            """
            timeout 60 $T small1 small2 pipe1 small3 > lines &
            until [ "$(wc -l < lines)" = 2 ]; do sleep 0.05; done
            printf z > pipe1; wait; wc -l < lines
            """
        )
        XCTAssertEqual(waiting.text, "4\n", waiting.errors)
    }

    func testFullDiskEndsTheRun() throws {
        let outcome = try run("$T small* large* > /dev/full; echo $?; $T small* large* >&-; echo $?")
        XCTAssertEqual(outcome.text, "1\n1\n")
        XCTAssertEqual(
            outcome.errors,
            """
            credkit: write error: No space left on device
            credkit: write error: Bad file descriptor

            """
        )
        // Only the lines before the error could have been written.
        let missing = try run("$T small* missing small1 > /dev/full")
        XCTAssertEqual(missing.errors, "credkit: write error: No space left on device\n")
    }

    func testChangingFilesAreReadToTheirEnds() throws {
        // At any moment there is one digest per file, and unchanged files have the correct ones.
        let outcome = try run(
            """
            : > stop; (while [ -e stop ]; do head -c 70000 /dev/zero >> growing; done) &
            (while [ -e stop ]; do head -c 500000 large1 > cut; : > cut; done) &
            for i in $(seq 20); do
                [ $(wc -c < growing) -gt 3000000 ] && : > growing
                $T large1 growing small* cut large2 | grep -v -e growing -e cut | cmp - <(md5sum large1 small* large2) || exit 1
                $T large1 growing cut large2 | wc -l
            done | sort -u; status=${PIPESTATUS[0]}
            rm stop; wait; exit $status
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(outcome.text, "4\n", outcome.errors)
    }
}
