/* Makes fdatasync slow on demand: sleeps as many milliseconds as the file named by
 * SLOW_SYNC_FILE holds, while that file exists, before the real call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real)
    *(void**)&real = dlsym(RTLD_NEXT, "fdatasync");
  const char* path = getenv("SLOW_SYNC_FILE");
  FILE* file = path ? fopen(path, "r") : NULL;
  if (file) {
    int ms = 0;
    if (fscanf(file, "%d", &ms) == 1 && ms > 0 && ms <= 10000) {
      struct timespec wait = {ms / 1000, (long)(ms % 1000) * 1000000};
      nanosleep(&wait, NULL);
    }
    fclose(file);
  }
  return real(fd);
}
