// What a device is doing. Memory, sessions and processes are the truth of the state
// file; the rest is the script's.
#include <string.h>

#include "nvml.h"

static uint64_t in_use(const struct device *d) {
	uint64_t used = held_by_all(d->slot, MEMORY) + ((uint64_t)device_number(d->slot, "used", 0) << 20);
	return used < d->memory ? used : d->memory;
}

API nvmlReturn nvmlDeviceGetMemoryInfo(nvmlDevice h, struct memory *m) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (error) return error;
	uint64_t used = in_use(&d);
	*m = (struct memory){.total = d.memory, .free = d.memory - used, .used = used};
	return NVML_OK;
}

API nvmlReturn nvmlDeviceGetMemoryInfo_v2(nvmlDevice h, struct memory2 *m) {
	struct memory first;
	nvmlReturn error = nvmlDeviceGetMemoryInfo(h, &first);
	if (error) return error;
	if ((m->version & 0xff000000) != 2u << 24) return NVML_INVALID_ARGUMENT;
	m->total = first.total;
	m->free = first.free;
	m->used = first.used;
	m->reserved = 0;
	return NVML_OK;
}

// number reads a line of the script about the device.
static nvmlReturn number(nvmlDevice h, const char *key, int64_t otherwise, int64_t *into) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (!error) *into = device_number(d.slot, key, otherwise);
	return error;
}

API nvmlReturn nvmlDeviceGetUtilizationRates(nvmlDevice h, unsigned rates[2]) {
	int64_t gpu, memory;
	nvmlReturn error = number(h, "utilization", 0, &gpu);
	if (!error) error = number(h, "utilization.memory", 0, &memory);
	if (error) return error;
	rates[0] = (unsigned)gpu;
	rates[1] = (unsigned)memory;
	return NVML_OK;
}

static nvmlReturn utilization(nvmlDevice h, const char *key, unsigned *percent, unsigned *period) {
	int64_t value;
	nvmlReturn error = number(h, key, 0, &value);
	if (error) return error;
	*percent = (unsigned)value;
	*period = 167000;
	return NVML_OK;
}

API nvmlReturn nvmlDeviceGetEncoderUtilization(nvmlDevice h, unsigned *percent, unsigned *period) {
	return utilization(h, "utilization.encoder", percent, period);
}

API nvmlReturn nvmlDeviceGetDecoderUtilization(nvmlDevice h, unsigned *percent, unsigned *period) {
	return utilization(h, "utilization.decoder", percent, period);
}

API nvmlReturn nvmlDeviceGetTemperature(nvmlDevice h, int sensor, unsigned *degrees) {
	int64_t value;
	nvmlReturn error = sensor ? NVML_INVALID_ARGUMENT : number(h, "temperature", 45, &value);
	if (!error) *degrees = (unsigned)value;
	return error;
}

API nvmlReturn nvmlDeviceGetTemperatureThreshold(nvmlDevice h, int which, unsigned *degrees) {
	int64_t value;
	if (which > 1) return NVML_NOT_SUPPORTED;
	nvmlReturn error = which ? number(h, "slowdown", 93, &value) : number(h, "shutdown", 98, &value);
	if (!error) *degrees = (unsigned)value;
	return error;
}

API nvmlReturn nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice h, unsigned long long *bits) {
	int64_t value;
	nvmlReturn error = number(h, "throttle", 0, &value);
	if (!error) *bits = (unsigned long long)value;
	return error;
}

API nvmlReturn nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice h, unsigned long long *bits) {
	return nvmlDeviceGetCurrentClocksThrottleReasons(h, bits);
}

API nvmlReturn nvmlDeviceGetPowerUsage(nvmlDevice h, unsigned *milliwatts) {
	int64_t value;
	nvmlReturn error = number(h, "power", 30000, &value);
	if (!error) *milliwatts = (unsigned)value;
	return error;
}

API nvmlReturn nvmlDeviceGetTotalEccErrors(nvmlDevice h, int uncorrected, int aggregate, unsigned long long *n) {
	int64_t value;
	(void)aggregate;
	nvmlReturn error = number(h, "ecc", 0, &value);
	if (error) return error;
	if (value < 0) return NVML_NOT_SUPPORTED;
	*n = uncorrected ? (unsigned long long)value : 0;
	return NVML_OK;
}

static int64_t sessions(const struct device *d) {
	return (int64_t)held_by_all(d->slot, ENCODERS) + device_number(d->slot, "encoder.others", 0);
}

API nvmlReturn nvmlDeviceGetEncoderStats(nvmlDevice h, unsigned *n, unsigned *rate, unsigned *latency) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (error) return error;
	*n = (unsigned)sessions(&d);
	*rate = *n ? 30 : 0;
	*latency = *n ? 2000 : 0;
	return NVML_OK;
}

// What is left of the encoders, in percent; cards without them do not know.
API nvmlReturn nvmlDeviceGetEncoderCapacity(nvmlDevice h, int codec, unsigned *percent) {
	struct device d;
	(void)codec;
	nvmlReturn error = ask(h, &d);
	if (error) return error;
	if (!d.encodes) return NVML_NOT_SUPPORTED;
	int64_t left = 100 - 10 * sessions(&d);
	*percent = left > 0 ? (unsigned)left : 0;
	return NVML_OK;
}

struct sessions { struct encoder_session *list; unsigned n, room; int slot; };

static void add_sessions(void *into, const struct process *p) {
	struct sessions *s = into;
	for (uint64_t i = 0; i < p->held[s->slot][ENCODERS]; i++, s->n++)
		if (s->list && s->n < s->room) s->list[s->n] = (struct encoder_session){.session = s->n + 1, .pid = (unsigned)p->pid,
			.rate = 30, .latency = 2000};
}

API nvmlReturn nvmlDeviceGetEncoderSessions(nvmlDevice h, unsigned *n, struct encoder_session *list) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (error) return error;
	struct sessions s = {.list = list, .room = *n, .slot = d.slot};
	each_process(d.slot, add_sessions, &s);
	*n = s.n;
	return list && s.n > s.room ? NVML_INSUFFICIENT_SIZE : NVML_OK;
}
