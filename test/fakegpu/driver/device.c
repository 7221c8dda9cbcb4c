// Which devices there are, and which of them CUDA shows to this process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core.h"

static void describe(int slot, struct device *d) {
	*d = (struct device){.slot = slot};
	if (!device_text(slot, "name", d->name, sizeof d->name)) strcpy(d->name, "NVIDIA GeForce RTX 4090");
	if (!device_text(slot, "uuid", d->uuid, sizeof d->uuid))
		snprintf(d->uuid, sizeof d->uuid, "GPU-%08x-0000-4000-8000-%012x", 0xfa4e0000 + slot, slot);
	if (!device_text(slot, "pci", d->pci, sizeof d->pci)) snprintf(d->pci, sizeof d->pci, "0000:%02x:00.0", slot + 1);
	d->memory = (uint64_t)device_number(slot, "memory", 24564) << 20;
	d->compute = device_number(slot, "compute", 89);
	d->mig = device_number(slot, "mig", 0);
	d->lost = device_number(slot, "lost", 0);
	d->encodes = device_number(slot, "encodes", 1) && !d->mig;
}

static int by_pci(const void *a, const void *b) {
	return strcasecmp(((const struct device *)a)->pci, ((const struct device *)b)->pci);
}

static int described(struct device out[MAX_DEVICES]) {
	int n = number_of("devices", 1);
	if (n > MAX_DEVICES) n = MAX_DEVICES;
	for (int i = 0; i < n; i++) describe(i, &out[i]);
	return n;
}

// all_devices are in the order of their PCI bus ids, as NVML counts.
int all_devices(struct device out[MAX_DEVICES]) {
	int n = described(out);
	qsort(out, n, sizeof *out, by_pci);
	for (int i = 0; i < n; i++) out[i].index = i;
	return n;
}

static int find(const struct device *all, int n, const char *word) {
	char *end;
	long number = strtol(word, &end, 10);
	if (!*end && *word) return number >= 0 && number < n ? (int)number : -1;
	for (int i = 0; i < n; i++)
		// CUDA takes an abbreviated UUID too, if it names one device.
		if (!strncasecmp(all[i].uuid, word, strlen(word)) && strlen(word) > 4) return i;
	return -1;
}

// visible_devices are those that CUDA_VISIBLE_DEVICES names, in its order; it ends
// at the first name that is none. Without CUDA_DEVICE_ORDER=PCI_BUS_ID the order is
// that of the script, which stands for "fastest first".
int visible_devices(struct device out[MAX_DEVICES]) {
	struct device all[MAX_DEVICES];
	const char *order = getenv("CUDA_DEVICE_ORDER"), *wanted = getenv("CUDA_VISIBLE_DEVICES");
	int n = order && !strcmp(order, "PCI_BUS_ID") ? all_devices(all) : described(all), shown = 0;
	if (!wanted) {
		memcpy(out, all, sizeof all);
		return n;
	}
	char list[1024], *rest = list, *word;
	snprintf(list, sizeof list, "%s", wanted);
	while ((word = strsep(&rest, ",")) && shown < MAX_DEVICES) {
		int at = find(all, n, word);
		if (at < 0) break;
		out[shown++] = all[at];
	}
	return shown;
}

void driver_version(char *into, size_t size) {
	if (!text_of("driver", into, size)) snprintf(into, size, "550.54.15");
}

int driver_major(void) {
	char version[64];
	driver_version(version, sizeof version);
	return atoi(version);
}

// cuda_version is the newest CUDA that the driver knows.
int cuda_version(void) {
	static const struct { int driver, cuda; } known[] = {
		{580, 13000}, {570, 12080}, {560, 12060}, {555, 12050}, {550, 12040}, {545, 12030}, {535, 12020},
		{530, 12010}, {525, 12000}, {515, 11070}, {510, 11060}, {495, 11050}, {470, 11040}, {450, 11000}, {0, 10020},
	};
	int major = driver_major(), i = 0;
	while (known[i].driver > major) i++;
	return known[i].cuda;
}
