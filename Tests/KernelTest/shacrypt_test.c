// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares SHA-crypt with the vectors of its specification, and with libxcrypt.
#include "kernel_test.h"

#include <crypt.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { LANES = CREDKIT_SHACRYPT_LANES, PASSWORD = CREDKIT_SHACRYPT_PASSWORD, SALT = CREDKIT_SHACRYPT_SALT };

static const int never = 0;
static struct guarded passwords[LANES], salts[LANES], lane_memory[LANES], digests;

/// A hash as libxcrypt writes it.
struct text {
    int variant;
    uint32_t rounds;
    char setting[64], digest[88];
};

static size_t size_of(int variant) { return variant == CREDKIT_SHA512_CRYPT ? 64 : 32; }

/// Compares a digest with its text.
static void check_digest(const uint8_t *digest, const struct text *text) {
    static const char alphabet[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const size_t size = size_of(text->variant), characters = (size * 8 + 5) / 6;
    char actual[88] = "";
    for (size_t n = 0; n < characters; n++) {
        const size_t byte = n * 6 / 8, next = byte + 1 < size ? digest[byte + 1] : 0;
        actual[n] = alphabet[(digest[byte] | next << 8) >> n * 6 % 8 & 63];
    }
    CHECK(strcmp(actual, text->digest) == 0, "%s%s instead of %s", text->setting, actual, text->digest);
}

void test_shacrypt_vectors(void) {
    // https://www.akkadia.org/drepper/SHA-crypt.txt, without the password of 84 bytes.
    static const struct {
        struct text text;
        const char *password, *salt;
    } vectors[] = {
        {{5, 5000, "", "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"}, "Hello world!", "saltstring"},
        {{5, 10000, "", "3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA"}, "Hello world!", "saltstringsaltst"},
        {{5, 5000, "", "Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5"}, "This is just a test", "toolongsaltstrin"},
        {{5, 77777, "", "JiO1O3ZpDAxGJeaDIuqCoEFysAe1mZNJRs3pw0KQRd/"},
         "we have a short salt string but not a short password", "short"},
        {{5, 123456, "", "gP3VQ/6X7UUEW3HkBn2w1/Ptq2jxPyzV/cZKmF/wJvD"}, "a short string", "asaltof16chars.."},
        {{5, 1000, "", "yfvwcWrQ8l/K0DAWyuPMDNHpIVlTQebY9l/gL972bIC"},
         "the minimum number is still observed", "roundstoolow"},
        {{6, 5000, "", "svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"},
         "Hello world!", "saltstring"},
        {{6, 10000, "", "OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v."},
         "Hello world!", "saltstringsaltst"},
        {{6, 5000, "", "lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0"},
         "This is just a test", "toolongsaltstrin"},
        {{6, 77777, "", "WuQyW2YR.hBNpjjRhpYD/ifIw05xdfeEyQoMxIXbkvr0gge1a1x3yRULJ5CCaUeOxFmtlcGZelFl5CxtgfiAc0"},
         "we have a short salt string but not a short password", "short"},
        {{6, 123456, "", "BtCwjqMJGx5hrJhZywWvt0RLE8uZ4oPwcelCjmw2kSYu.Ec6ycULevoBK25fs2xXgMNrCzIMVcgEJAstJeonj1"},
         "a short string", "asaltof16chars.."},
        {{6, 1000, "", "kUMsbe306n21p9R.FRkW3IGn.S9NPN0x50YhH1xhLsPuWGsUSklZt58jaTfF4ZEQpyUNGc0dqbpBYYBaHHrsX."},
         "the minimum number is still observed", "roundstoolow"},
    };
    now = (struct situation){.test = "shacrypt vectors", .call = "derive"};
    for (int variant = CREDKIT_SHA256_CRYPT; variant <= CREDKIT_SHA512_CRYPT; variant++) {
        struct credkit_shacrypt_input inputs[LANES];
        const struct text *texts[LANES];
        size_t count = 0, kernel_count;
        uint8_t digest[LANES * CREDKIT_SHACRYPT_DIGEST];
        for (size_t n = 0; n < sizeof vectors / sizeof vectors[0]; n++) {
            if (vectors[n].text.variant != variant) { continue; }
            texts[count] = &vectors[n].text;
            inputs[count++] = (struct credkit_shacrypt_input){
                (const uint8_t *)vectors[n].password, strlen(vectors[n].password),
                (const uint8_t *)vectors[n].salt, strlen(vectors[n].salt), vectors[n].text.rounds};
        }
        const struct credkit_shacrypt_kernels *const *kernels = credkit_shacrypt_supported(variant, &kernel_count);
        for (size_t index = 0; index < kernel_count; index++) {
            now.kernels = kernels[index]->name;
            // All of them together, and one after the other.
            CHECK(credkit_shacrypt_derive(kernels[index], inputs, count, digest, &never) == CREDKIT_SHACRYPT_DONE, "cancelled");
            for (size_t n = 0; n < count; n++) { check_digest(digest + n * size_of(variant), texts[n]); }
            for (size_t n = 0; n < count; n++) {
                credkit_shacrypt_derive(kernels[index], &inputs[n], 1, digest, &never);
                check_digest(digest, texts[n]);
            }
        }
    }
}

static uint8_t *random_text(const struct guarded *memory, size_t length, bool is_salt) {
    static const char alphabet[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz,#=-_%";
    uint8_t *bytes = guarded_at(memory, length, random_place());
    for (size_t n = 0; n < length; n++) {
        bytes[n] = is_salt ? (uint8_t)alphabet[random_below(sizeof alphabet - 1)] : (uint8_t)(1 + random_below(255));
    }
    return bytes;
}

/// Returns a length of passwords: any, or one at which a message of the variant fills a block.
static size_t random_length(int variant, size_t salt) {
    if (random_below(2) == 0) { return random_below(PASSWORD + 1); }
    const size_t size = size_of(variant), block = 2 * size;
    // Without its padding, whose least size is an eighth of a block and one byte.
    const size_t room = block * (1 + random_below(3)) - block / 8 - 1;
    const size_t other = size + (random_below(2) == 0 ? salt : 0), count = 1 + random_below(2);
    const size_t length = room > other ? (room - other) / count + random_below(3) : 0;
    return length > 0 && length - 1 <= PASSWORD ? length - 1 : random_below(PASSWORD + 1);
}

/// Makes an input and computes its hash with libxcrypt.
static void make(int variant, size_t lane, struct credkit_shacrypt_input *input, struct text *text) {
    static struct crypt_data data;
    char password[PASSWORD + 1] = "";
    guarded_open(&passwords[lane]);
    guarded_open(&salts[lane]);
    input->salt_length = random_below(3) == 0 ? SALT : random_below(SALT + 1);
    input->password_length = random_length(variant, input->salt_length);
    uint8_t *bytes = random_text(&passwords[lane], input->password_length, false);
    input->salt = random_text(&salts[lane], input->salt_length, true);
    // Not the beginning of a number of rounds.
    if (input->salt_length > 6) { ((uint8_t *)input->salt)[6] = '.'; }
    input->password = bytes;
    // libxcrypt takes at least 1,000.
    input->rounds = (uint32_t)(1000 + random_below(random_below(20) == 0 ? 1500 : 50));
    memcpy(password, bytes, input->password_length);
    *text = (struct text){.variant = variant, .rounds = input->rounds};
    snprintf(text->setting, sizeof text->setting, "$%d$rounds=%u$%.*s$", variant, input->rounds, (int)input->salt_length,
             (const char *)input->salt);
    const char *hash = crypt_r(password, text->setting, &data);
    CHECK(strncmp(hash, text->setting, strlen(text->setting)) == 0, "libxcrypt takes %s otherwise: %s", text->setting, hash);
    strncpy(text->digest, hash + strlen(text->setting), sizeof text->digest - 1);
    guarded_close(&passwords[lane], input->password, input->password_length);
    guarded_close(&salts[lane], input->salt, input->salt_length);
}

static bool is_zero(const void *memory, size_t size) {
    const uint8_t *bytes = memory;
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/// Advances lanes as a scheduler does: lanes come and go between slices of random sizes.
static void check_schedule(const struct credkit_shacrypt_kernels *kernels, const struct credkit_shacrypt_input *inputs,
                           const struct text *texts, size_t count) {
    struct credkit_shacrypt_lane *lanes[LANES], *running[LANES];
    size_t begun = 0, finished = 0, running_count = 0, running_index[LANES];
    for (size_t n = 0; n < count; n++) {
        const struct place place = {random_below(2) == 0 ? AT_START : AT_END, 0};
        lanes[n] = (struct credkit_shacrypt_lane *)guarded_at(&lane_memory[n], sizeof *lanes[n], place);
        random_fill((uint8_t *)lanes[n], sizeof *lanes[n]);
        guarded_close(&lane_memory[n], (uint8_t *)lanes[n], sizeof *lanes[n]);
    }
    while (finished < count) {
        if (begun < count && (running_count == 0 || random_below(3) == 0)) {
            credkit_shacrypt_prepare(kernels, lanes[begun], &inputs[begun]);
            running_index[running_count] = begun;
            running[running_count++] = lanes[begun++];
        }
        credkit_shacrypt_advance(kernels, running, running_count, 1 + random_below(random_below(4) == 0 ? 3 : 600));
        for (size_t n = 0; n < running_count;) {
            if (!credkit_shacrypt_is_done(running[n])) {
                n++;
                continue;
            }
            uint8_t *digest = guarded_at(&digests, size_of(texts[0].variant), random_place());
            canary_put(&digests, digest, size_of(texts[0].variant), 0xA5);
            credkit_shacrypt_finish(kernels, running[n], digest);
            canary_check(&digests, digest, size_of(texts[0].variant), size_of(texts[0].variant), 0xA5);
            check_digest(digest, &texts[running_index[n]]);
            CHECK(is_zero(running[n], sizeof *running[n]), "the lane is not wiped");
            running[n] = running[--running_count];
            running_index[n] = running_index[running_count];
            finished++;
        }
    }
    for (size_t n = 0; n < count; n++) { guarded_open(&lane_memory[n]); }
}

void test_shacrypt_random(size_t inputs) {
    now = (struct situation){.test = "shacrypt", .call = "advance"};
    for (size_t lane = 0; lane < LANES; lane++) {
        passwords[lane] = guarded_make(1024);
        salts[lane] = guarded_make(1024);
        lane_memory[lane] = guarded_make(sizeof(struct credkit_shacrypt_lane));
    }
    digests = guarded_make(1024);
    while (inputs > 0) {
        const int variant = random_below(2) == 0 ? CREDKIT_SHA256_CRYPT : CREDKIT_SHA512_CRYPT;
        size_t count = random_below(2) == 0 ? LANES : 1 + random_below(LANES), kernel_count;
        if (count > inputs) { count = inputs; }
        struct credkit_shacrypt_input batch[LANES];
        struct text texts[LANES];
        for (size_t lane = 0; lane < count; lane++) { make(variant, lane, &batch[lane], &texts[lane]); }
        const struct credkit_shacrypt_kernels *const *kernels = credkit_shacrypt_supported(variant, &kernel_count);
        for (size_t index = 0; index < kernel_count; index++) {
            now.kernels = kernels[index]->name;
            now.length = batch[0].password_length;
            check_schedule(kernels[index], batch, texts, count);
        }
        inputs -= count;
    }
    now.kernels = NULL;
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is_cancelled;
static double cancelled_at;

static void *cancel(void *unused) {
    const struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
    cancelled_at = seconds();
    __atomic_store_n(&is_cancelled, 1, __ATOMIC_RELEASE);
    return unused;
}

double test_shacrypt_cancellation(void) {
    now = (struct situation){.test = "shacrypt cancellation", .call = "derive"};
    struct credkit_shacrypt_input inputs[LANES];
    // Minutes.
    for (size_t n = 0; n < LANES; n++) {
        inputs[n] = (struct credkit_shacrypt_input){(const uint8_t *)"password", 8, NULL, 0, UINT32_MAX};
    }
    uint8_t digest[LANES * CREDKIT_SHACRYPT_DIGEST];
    double longest = 0;
    for (int variant = CREDKIT_SHA256_CRYPT; variant <= CREDKIT_SHA512_CRYPT; variant++) {
        size_t count;
        const struct credkit_shacrypt_kernels *const *kernels = credkit_shacrypt_supported(variant, &count);
        for (size_t index = 0; index < count; index++) {
            now.kernels = kernels[index]->name;
            is_cancelled = 0;
            pthread_t thread;
            CHECK(pthread_create(&thread, NULL, cancel, NULL) == 0, "pthread_create");
            const int status = credkit_shacrypt_derive(kernels[index], inputs, LANES, digest, &is_cancelled);
            const double end = seconds();
            pthread_join(thread, NULL);
            CHECK(status == CREDKIT_SHACRYPT_CANCELLED, "it was not cancelled");
            if (end - cancelled_at > longest) { longest = end - cancelled_at; }
        }
    }
    return longest;
}
