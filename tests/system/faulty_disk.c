/* Stands in front of PostgreSQL's libc and does to the disk what the file named by
 * FAULTY_DISK says, while that file exists:
 *   slow N   fdatasync takes N more milliseconds
 *   broken   fdatasync fails with EIO
 *   full     no file of a table grows: ENOSPC */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int order(char* word, int* number) {
  const char* path = getenv("FAULTY_DISK");
  FILE* file = path ? fopen(path, "r") : NULL;
  if (!file)
    return 0;
  *number = 0;
  int known = fscanf(file, "%15s %d", word, number) >= 1;
  fclose(file);
  return known;
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real)
    *(void**)&real = dlsym(RTLD_NEXT, "fdatasync");
  char word[16];
  int ms;
  if (order(word, &ms)) {
    if (strcmp(word, "broken") == 0) {
      errno = EIO;
      return -1;
    }
    if (strcmp(word, "slow") == 0 && ms > 0 && ms <= 10000) {
      struct timespec wait = {ms / 1000, (long)(ms % 1000) * 1000000};
      while (nanosleep(&wait, &wait) != 0 && errno == EINTR) // PostgreSQL's processes signal each other
        ;
    }
  }
  return real(fd);
}

/* Whether a write up to `end` would make a table's file grow on a full disk. */
static int refused(int fd, off_t end) {
  char word[16];
  int ignored;
  struct stat about;
  if (!order(word, &ignored) || strcmp(word, "full") != 0 || fstat(fd, &about) != 0 || end <= about.st_size)
    return 0;
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0)
    return 0;
  path[length] = 0;
  if (!strstr(path, "/base/"))
    return 0;
  errno = ENOSPC;
  return 1;
}

ssize_t pwrite(int fd, const void* from, size_t size, off_t at) {
  static ssize_t (*real)(int, const void*, size_t, off_t);
  if (!real)
    *(void**)&real = dlsym(RTLD_NEXT, "pwrite");
  return refused(fd, at + (off_t)size) ? -1 : real(fd, from, size, at);
}

ssize_t pwrite64(int fd, const void* from, size_t size, off_t at) { return pwrite(fd, from, size, at); }

int posix_fallocate(int fd, off_t at, off_t size) {
  static int (*real)(int, off_t, off_t);
  if (!real)
    *(void**)&real = dlsym(RTLD_NEXT, "posix_fallocate");
  return refused(fd, at + size) ? ENOSPC : real(fd, at, size);
}
