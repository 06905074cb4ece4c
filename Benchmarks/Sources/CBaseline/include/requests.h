// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_BASELINE_REQUESTS_H
#define CREDKIT_BASELINE_REQUESTS_H

/// Requests through libcurl's multi interface and nothing else: one thread, `curl_multi_poll`, handles that are set up once.
typedef struct baseline_requests baseline_requests;

/// Sets up handles for some requests at once, at most 64. The headers end with NULL. Returns NULL if that fails.
baseline_requests *baseline_requests_open(
    const char *url, const char *certificates, const char *const *headers, int parallel_count);

/// Makes `count` requests over connections that are kept from run to run. Returns how many bytes their bodies had, or -1.
long long baseline_requests_run(baseline_requests *requests, int count);

void baseline_requests_close(baseline_requests *requests);

#endif
