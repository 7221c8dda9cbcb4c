// The machine's state: a file beside the libraries, mapped by every process that
// loads them. Record locks, which the kernel drops when a process dies, say which
// processes are alive and guard the counters.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"

#define MAGIC 0x7475747469677075ull

static struct state *shared;
static struct process *own;
static int file = -1;
static char directory[4096];
static pthread_mutex_t within = PTHREAD_MUTEX_INITIALIZER;

static int record(int command, short type, off_t at, struct flock *l) {
	*l = (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
	return fcntl(file, command, l);
}

// Byte 0 of the file guards the state, byte 1+slot says that a process lives.
void enter(void) {
	struct flock l;
	pthread_mutex_lock(&within);
	while (file >= 0 && record(F_SETLKW, F_WRLCK, 0, &l) < 0) {}
}

void leave(void) {
	struct flock l;
	if (file >= 0) record(F_SETLK, F_UNLCK, 0, &l);
	pthread_mutex_unlock(&within);
}

static int alive(int slot) {
	struct flock l;
	if (&shared->processes[slot] == own) return 1;
	return record(F_GETLK, F_WRLCK, 1 + slot, &l) == 0 && l.l_type != F_UNLCK;
}

static void claim(void) {
	struct flock l;
	for (int i = 0; i < MAX_PROCESSES && !own; i++) {
		struct process *p = &shared->processes[i];
		if (p->pid && alive(i)) continue;
		if (record(F_SETLK, F_WRLCK, 1 + i, &l) < 0) continue;
		memset(p, 0, sizeof *p);
		p->pid = getpid();
		own = p;
	}
}

// The file is opened when the library is loaded, because a sandbox may shut the
// file system afterwards. Without it there is a machine without devices.
__attribute__((constructor)) static void attach(void) {
	Dl_info info;
	if (!dladdr((void *)attach, &info) || !info.dli_fname) return;
	snprintf(directory, sizeof directory, "%s", info.dli_fname);
	char *slash = strrchr(directory, '/');
	if (!slash) return;
	*slash = 0;
	char path[4200];
	snprintf(path, sizeof path, "%s/state", directory);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	if (fd < 0) return;
	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof *shared) { close(fd); return; }
	void *m = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m == MAP_FAILED || ((struct state *)m)->magic != MAGIC) { close(fd); return; }
	shared = m;
	file = fd;
	enter();
	claim();
	leave();
}

void count(int device, enum counter which, uint64_t by) {
	if (shared) __atomic_fetch_add(&shared->counters[device][which], by, __ATOMIC_SEQ_CST);
}

uint64_t counted(int device, enum counter which) {
	return shared ? __atomic_load_n(&shared->counters[device][which], __ATOMIC_SEQ_CST) : 0;
}

void hold(int device, enum held what, int64_t by) {
	if (own) __atomic_fetch_add(&own->held[device][what], (uint64_t)by, __ATOMIC_SEQ_CST);
}

// held_by_all sums over the processes that live; call it between enter and leave
// when something is decided by it.
uint64_t held_by_all(int device, enum held what) {
	uint64_t sum = 0;
	for (int i = 0; shared && i < MAX_PROCESSES; i++) {
		struct process *p = &shared->processes[i];
		if (p->pid && p->held[device][what] && alive(i)) sum += p->held[device][what];
	}
	return sum;
}

int each_process(int device, void (*visit)(void *, const struct process *), void *into) {
	int n = 0;
	for (int i = 0; shared && i < MAX_PROCESSES; i++) {
		struct process *p = &shared->processes[i];
		if (!p->pid || !p->held[device][CONTEXTS] || !alive(i)) continue;
		if (visit) visit(into, p);
		n++;
	}
	return n;
}

uint64_t script_sequence(void) {
	return shared ? __atomic_load_n(&shared->sequence, __ATOMIC_SEQ_CST) : 0;
}

// script_text is the text that the sequence number belongs to: the writer fills the
// other half before it raises the number.
const char *script_text(uint64_t *sequence) {
	*sequence = script_sequence();
	return shared ? shared->script[*sequence & 1] : "devices=0";
}

const char *library_directory(void) { return directory; }
