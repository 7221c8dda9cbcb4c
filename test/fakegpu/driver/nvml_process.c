// Who uses a device: those who share the state file, and those of the script.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvml.h"

struct users { struct running *list; unsigned n, room; int slot; };

static void add(struct users *u, unsigned pid, uint64_t memory) {
	if (u->list && u->n < u->room)
		u->list[u->n] = (struct running){.pid = pid, .memory = memory, .gpu_instance = ~0u, .compute_instance = ~0u};
	u->n++;
}

static void add_ours(void *into, const struct process *p) {
	struct users *u = into;
	add(u, (unsigned)p->pid, p->held[u->slot][MEMORY]);
}

// others calls visit for every "pid:MiB:name" of the script.
static void others(int slot, void (*visit)(void *, unsigned, uint64_t, const char *), void *into) {
	char list[2048], *rest = list, *entry;
	if (!device_text(slot, "processes", list, sizeof list)) return;
	while ((entry = strsep(&rest, ","))) {
		char *pid = strsep(&entry, ":"), *size = strsep(&entry, ":");
		if (size) visit(into, (unsigned)atoi(pid), (uint64_t)atoll(size) << 20, entry ? entry : "");
	}
}

static void add_other(void *into, unsigned pid, uint64_t memory, const char *name) {
	(void)name;
	add(into, pid, memory);
}

API nvmlReturn nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice h, unsigned *n, struct running *list) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (error) return error;
	struct users u = {.list = list, .room = *n, .slot = d.slot};
	each_process(d.slot, add_ours, &u);
	others(d.slot, add_other, &u);
	*n = u.n;
	return u.n > u.room ? NVML_INSUFFICIENT_SIZE : NVML_OK;
}

// Nothing draws.
API nvmlReturn nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice h, unsigned *n, struct running *list) {
	struct device d;
	(void)list;
	nvmlReturn error = ask(h, &d);
	if (!error) *n = 0;
	return error;
}

struct sought { unsigned pid; char *name; unsigned size; int found; };

static void match(void *into, unsigned pid, uint64_t memory, const char *name) {
	struct sought *s = into;
	(void)memory;
	if (pid != s->pid) return;
	snprintf(s->name, s->size, "%s", name);
	s->found = 1;
}

API nvmlReturn nvmlSystemGetProcessName(unsigned pid, char *name, unsigned size) {
	struct sought s = {.pid = pid, .name = name, .size = size};
	char link[64];
	nvmlReturn error = ready();
	if (error) return error;
	for (int i = 0; i < MAX_DEVICES; i++) others(i, match, &s);
	if (s.found) return NVML_OK;
	snprintf(link, sizeof link, "/proc/%u/exe", pid);
	ssize_t n = readlink(link, name, size - 1);
	if (n < 0) return NVML_NOT_FOUND;
	name[n] = 0;
	return NVML_OK;
}
