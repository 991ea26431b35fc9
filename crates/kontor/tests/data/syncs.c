/* Preloaded into a program (LD_PRELOAD): logs each sync, new folder and rename, in order, one line each, to the file in SYNCS:
   sync BYTES PATH | folder PATH | name OLD NEW */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static void note(const char *line, int length) {
    const char *file = getenv("SYNCS");
    int log = file ? open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (log < 0) return;
    if (write(log, line, length) < 0) abort();
    close(log);
}

static void synced(int file) {
    char link[64], path[PATH_MAX], line[PATH_MAX + 64];
    struct stat found;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0 || fstat(file, &found) != 0) return;
    path[length] = 0;
    note(line, snprintf(line, sizeof line, "sync %lld %s\n", (long long)found.st_size, path));
}

int fsync(int file) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    int result = real(file);
    if (result == 0) synced(file);
    return result;
}

int fdatasync(int file) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    int result = real(file);
    if (result == 0) synced(file);
    return result;
}

int mkdir(const char *path, mode_t mode) {
    int (*real)(const char *, mode_t) = dlsym(RTLD_NEXT, "mkdir");
    int result = real(path, mode);
    char line[PATH_MAX + 64];
    if (result == 0) note(line, snprintf(line, sizeof line, "folder %s\n", path));
    return result;
}

int rename(const char *old, const char *new) {
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    int result = real(old, new);
    char line[2 * PATH_MAX + 64];
    if (result == 0) note(line, snprintf(line, sizeof line, "name %s %s\n", old, new));
    return result;
}
