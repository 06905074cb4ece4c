// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <getopt.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/// Sends logins to servers over kept connections, in one thread, and reports how long each of them took. It prints `ready`,
/// waits for a line, sends the logins, and prints one line of JSON.
static const char usage[] =
    "usage: LoginGenerator timestamped|scram|passkeys|check --users FILE --servers PORT,… --connections COUNT\n"
    "                      (--logins COUNT | --seconds COUNT) [--rate PER-SECOND] [--in-advance] [--key-phrase TEXT]\n"
    "                      [--path PATH --header TEXT --status COUNT]\n"
    "  --users FILE    a line NAME ADDRESS SECRET for each user: the password-equivalent, the ClientKey, or the private key of\n"
    "                  the passkeys, the same for all, in hexadecimal; for check, what follows --header, such as 'Cookie: session='\n"
    "  --rate          begins that many logins a second, and measures each from when it is due\n"
    "  --in-advance    sends the first request of each login before; needs --logins\n";

static void misused(void) {
    fputs(usage, stderr);
    exit(64);
}

static struct user *read_users(const char *path, size_t *count) {
    FILE *file = fopen(path, "r");
    if (file == NULL) misused();
    size_t capacity = 1024;
    struct user *users = malloc(capacity * sizeof *users);
    for (*count = 0;; ++*count) {
        if (*count == capacity) users = realloc(users, (capacity *= 2) * sizeof *users);
        struct user *user = &users[*count];
        memset(user, 0, sizeof *user);
        if (fscanf(file, "%31s %15s %64s", user->name, user->address, user->secret) != 3) break;
        const char *secret = user->secret;
        if (strlen(secret) == 2 * 16) memcpy(user->equivalent, secret, sizeof user->equivalent);
        for (size_t i = 0; i < strlen(secret) / 2; i++) {
            unsigned byte = 0;
            sscanf(secret + 2 * i, "%2x", &byte);
            user->client_key[i] = (unsigned char)byte;
        }
        EVP_Digest(user->client_key, KEY_SIZE, user->stored_key, NULL, EVP_sha256(), NULL);
    }
    fclose(file);
    if (*count == 0) misused();
    return users;
}

static double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
        (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int count, char **arguments) {
    static const struct option options[] = {{"users", 1, NULL, 'u'}, {"servers", 1, NULL, 's'}, {"connections", 1, NULL, 'c'},
        {"logins", 1, NULL, 'n'}, {"seconds", 1, NULL, 't'}, {"rate", 1, NULL, 'r'}, {"in-advance", 0, NULL, 'a'},
        {"key-phrase", 1, NULL, 'k'}, {"path", 1, NULL, 'p'}, {"header", 1, NULL, 'h'}, {"status", 1, NULL, 'x'}, {NULL, 0, NULL, 0}};
    static struct run run;
    double seconds = 0;
    bool in_advance = false;
    const char *key_phrase = "", *path = NULL, *header = NULL;
    int status = 0;
    signal(SIGPIPE, SIG_IGN);
    for (int option; (option = getopt_long(count, arguments, "", options, NULL)) != -1;) {
        switch (option) {
        case 'u': run.users = read_users(optarg, &run.user_count); break;
        case 's':
            for (char *part = strtok(optarg, ","); part && run.server_count < MAXIMUM_SERVERS; part = strtok(NULL, ","))
                run.ports[run.server_count++] = atoi(part);
            break;
        case 'c': run.connection_count = atoi(optarg); break;
        case 'n': run.limit = strtoul(optarg, NULL, 10); break;
        case 't': seconds = atof(optarg); break;
        case 'r': run.rate = atof(optarg); break;
        case 'a': in_advance = true; break;
        case 'k': key_phrase = optarg; break;
        case 'p': path = optarg; break;
        case 'h': header = optarg; break;
        case 'x': status = atoi(optarg); break;
        default: misused();
        }
    }
    size_t logins = run.limit;
    if (optind != count - 1 || run.users == NULL || run.server_count == 0 || run.connection_count < run.server_count ||
        (logins == 0) == (seconds == 0) || (in_advance && logins == 0))
        misused();
    bool is_scram = strcmp(arguments[optind], "scram") == 0;
    bool is_check = strcmp(arguments[optind], "check") == 0;
    bool is_passkey = strcmp(arguments[optind], "passkeys") == 0;
    if (!is_scram && !is_check && !is_passkey && strcmp(arguments[optind], "timestamped") != 0) misused();
    if (is_check != (path && header && status) || (is_check && in_advance)) misused();
    run.step = is_scram ? scram_step : is_passkey ? passkeys_step : is_check ? check_step : timestamped_step;
    if (is_passkey && !passkeys_prepare(run.users)) misused();
    timestamped_prepare(key_phrase);
    check_prepare(path, header, status);
    if (!run_connect(&run)) {
        fputs("cannot connect to the servers\n", stderr);
        return 1;
    }
    if (in_advance && !run_prepare(&run, logins)) {
        fprintf(stderr, "cannot prepare: %s\n", run.failure);
        return 1;
    }
    puts("ready");
    fflush(stdout);
    if (getchar() == EOF) return 1;
    run.limit = logins ? logins : SIZE_MAX;
    run.end = logins ? INT64_MAX : now_nanoseconds() + (int64_t)(seconds * 1e9);
    double processor = processor_seconds();
    int64_t start = now_nanoseconds();
    run_measured(&run);
    printf("{\"logins\": %zu, \"failures\": %zu, \"seconds\": %.4f, \"processorSeconds\": %.4f, "
           "\"p50\": %.3f, \"p99\": %.3f, \"longest\": %.3f, \"firstFailure\": \"%s\"}\n",
        run.succeeded, run.failed + run.unprepared, (double)(now_nanoseconds() - start) / 1e9, processor_seconds() - processor,
        histogram_quantile(&run.latencies, 0.5), histogram_quantile(&run.latencies, 0.99),
        histogram_quantile(&run.latencies, 1 - 1e-12), run.failure);
    return 0;
}
