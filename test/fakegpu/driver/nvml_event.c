// Critical errors: an event comes when the script's line about it has changed since
// the set was registered.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvml.h"

enum { CRITICAL = 8, LINE = 64 };

struct set { int wants[MAX_DEVICES]; char seen[MAX_DEVICES][LINE]; };

static void line_of(int slot, char line[LINE]) {
	line[0] = 0;
	device_text(slot, "xid", line, LINE);
}

API nvmlReturn nvmlEventSetCreate(struct set **out) {
	nvmlReturn error = ready();
	if (!error) *out = calloc(1, sizeof **out);
	return error;
}

API nvmlReturn nvmlEventSetFree(struct set *s) {
	free(s);
	return NVML_OK;
}

API nvmlReturn nvmlDeviceGetSupportedEventTypes(nvmlDevice h, unsigned long long *kinds) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (!error) *kinds = CRITICAL;
	return error;
}

API nvmlReturn nvmlDeviceRegisterEvents(nvmlDevice h, unsigned long long kinds, struct set *s) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (error) return error;
	if (kinds & ~(unsigned long long)CRITICAL) return NVML_NOT_SUPPORTED;
	s->wants[d.slot] = 1;
	line_of(d.slot, s->seen[d.slot]);
	return NVML_OK;
}

static int next(struct set *s, struct event *e) {
	for (int slot = 0; slot < MAX_DEVICES; slot++) {
		char line[LINE];
		if (!s->wants[slot]) continue;
		line_of(slot, line);
		if (!strcmp(line, s->seen[slot])) continue;
		strcpy(s->seen[slot], line);
		if (!*line) continue;
		*e = (struct event){.device = handle_of(slot), .kind = CRITICAL, .data = strtoull(line, NULL, 10),
			.gpu_instance = ~0u, .compute_instance = ~0u};
		return 1;
	}
	return 0;
}

API nvmlReturn nvmlEventSetWait_v2(struct set *s, struct event *e, unsigned milliseconds) {
	enum { STEP = 5 };
	for (unsigned waited = 0;; waited += STEP) {
		nvmlReturn error = ready();
		if (error) return error;
		if (next(s, e)) return NVML_OK;
		if (waited >= milliseconds) return NVML_TIMEOUT;
		usleep(STEP * 1000);
	}
}
