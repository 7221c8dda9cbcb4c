// Device memory is host memory, counted against what the script says there is, over
// all processes.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { OUT_OF_MEMORY = 2, INVALID_VALUE = 1 };

struct block { struct block *next; uint64_t pointer, bytes; int slot; };

static struct block *blocks;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

// reserve counts memory as used without there being any: what drivers keep for
// contexts, decoders and encoders.
int reserve(int slot, uint64_t bytes) {
	struct device all[MAX_DEVICES];
	int n = all_devices(all), error = OUT_OF_MEMORY;
	enter();
	for (int i = 0; i < n; i++) {
		if (all[i].slot != slot) continue;
		uint64_t used = held_by_all(slot, MEMORY) + ((uint64_t)device_number(slot, "used", 0) << 20);
		if (broken(slot, 0) != OUT_OF_MEMORY && used + bytes <= all[i].memory) {
			hold(slot, MEMORY, bytes);
			error = 0;
		}
	}
	leave();
	if (error) count(slot, ALLOCATIONS_REFUSED, 1);
	return error;
}

void give_back(int slot, uint64_t bytes) { hold(slot, MEMORY, -(int64_t)bytes); }

int device_alloc(uint64_t *pointer, size_t bytes) {
	struct context *c = current();
	struct block *b;
	void *memory;
	if (!bytes || !pointer) return INVALID_VALUE;
	int error = reserve(c->slot, bytes);
	if (error) return error;
	b = malloc(sizeof *b);
	if (!b || posix_memalign(&memory, 512, bytes + 512)) {
		free(b);
		give_back(c->slot, bytes);
		return OUT_OF_MEMORY;
	}
	*b = (struct block){.pointer = (uint64_t)memory, .bytes = bytes, .slot = c->slot};
	pthread_mutex_lock(&guard);
	b->next = blocks;
	blocks = b;
	pthread_mutex_unlock(&guard);
	*pointer = b->pointer;
	return 0;
}

int device_free(uint64_t pointer) {
	struct block **at, *b = NULL;
	pthread_mutex_lock(&guard);
	for (at = &blocks; *at && (*at)->pointer != pointer; at = &(*at)->next) {}
	if ((b = *at)) *at = b->next;
	pthread_mutex_unlock(&guard);
	if (!b) return INVALID_VALUE;
	give_back(b->slot, b->bytes);
	free((void *)b->pointer);
	free(b);
	return 0;
}
