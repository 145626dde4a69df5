/* Reads at random places of a drive that is written at the same time, in step with its events: the mean response time. */

#include <stdio.h>
#include <stdlib.h>

#include "wordline.h"

static void check(enum WordlineStatus status) {
    if (status != WORDLINE_OK) {
        fprintf(stderr, "%s\n", wordline_last_error());
        exit(1);
    }
}

int main(void) {
    WordlineOptions options = {.device = "enterprise-tlc", .scheme = "suspend", .start_toml = "occupancy = 0.5", .seed = 1};
    WordlineDrive *drive;
    check(wordline_drive_new(&options, &drive));

    uint64_t pages = wordline_drive_logical_bytes(drive) / 2 / 4096, place = 1;
    for (uint64_t number = 0; number < 1000; number++) {
        place = (place * 6364136223846793005u + 1442695040888963407u);
        WordlineRequest request = {
            .time = number * 10000,
            .op = number % 4 == 0 ? WORDLINE_WRITE : WORDLINE_READ,
            .offset = place % pages * 4096,
            .length = 4096,
            .tag = number,
        };
        check(wordline_drive_submit(drive, &request, 1));
    }

    uint64_t time, reads = 0, total = 0;
    for (;;) {
        check(wordline_drive_next_event(drive, &time));
        if (time == UINT64_MAX) break;
        check(wordline_drive_advance(drive, time));
        WordlineCompletion done[16];
        size_t count;
        do {
            check(wordline_drive_completions(drive, done, 16, &count));
            for (size_t i = 0; i < count; i++) {
                if (done[i].request.op != WORDLINE_READ) continue;
                reads++;
                total += done[i].time - done[i].request.time;
            }
        } while (count == 16);
    }
    printf("%llu reads, %.1f us\n", (unsigned long long)reads, (double)total / (double)reads / 1000.0);
    wordline_drive_free(drive);
    return 0;
}
