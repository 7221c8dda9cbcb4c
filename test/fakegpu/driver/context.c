// Contexts: every thread has a stack of them, and an error of the lasting kind
// stays with the context that met it.
#include <stdlib.h>

#include "core.h"

enum { DEPTH = 64, INVALID_CONTEXT = 201, INVALID_DEVICE = 101 };

static __thread struct context *stack[DEPTH];
static __thread int top;

struct context *current(void) { return top ? stack[top - 1] : NULL; }

int push(struct context *c) {
	if (!c || top == DEPTH) return INVALID_CONTEXT;
	stack[top++] = c;
	return 0;
}

struct context *pop(void) { return top ? stack[--top] : NULL; }

// A context takes memory of its own, as everyone finds who counts.
static uint64_t weight(int slot) { return (uint64_t)device_number(slot, "context", 160) << 20; }

struct context *open_context(int ordinal, int primary, int *error) {
	struct device seen[MAX_DEVICES];
	if (ordinal < 0 || ordinal >= visible_devices(seen)) {
		*error = INVALID_DEVICE;
		return NULL;
	}
	int slot = seen[ordinal].slot;
	uint64_t heavy = weight(slot);
	if ((*error = act(slot, "open")) || (*error = broken(slot, 0)) || (*error = reserve(slot, heavy))) return NULL;
	struct context *c = calloc(1, sizeof *c);
	*c = (struct context){.slot = slot, .ordinal = ordinal, .primary = primary, .weight = heavy};
	hold(slot, CONTEXTS, 1);
	count(slot, CONTEXTS_CREATED, 1);
	return c;
}

void close_context(struct context *c) {
	if (current() == c) pop();
	give_back(c->slot, c->weight);
	hold(c->slot, CONTEXTS, -1);
	count(c->slot, CONTEXTS_DESTROYED, 1);
	free(c);
}

int usable_context(struct context *c, const char *point) {
	if (!c) return INVALID_CONTEXT;
	if (!c->sticky) c->sticky = act(c->slot, point);
	return c->sticky;
}

// usable is 0 when the thread has a context in which work can be done.
int usable(const char *point) { return usable_context(current(), point); }
