// Starting up, finding devices, and what does not change about them.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "nvml.h"

static int starts;

nvmlReturn ready(void) {
	if (number_of("nvml.crash", 0)) raise(SIGSEGV);
	if (number_of("nvml.hang", 0)) count(0, HANGS, 1);
	while (number_of("nvml.hang", 0)) usleep(5000);
	return starts ? NVML_OK : NVML_UNINITIALIZED;
}

API nvmlReturn nvmlInit_v2(void) {
	starts++;
	nvmlReturn error = ready();
	if (!error) error = (nvmlReturn)number_of("nvml.init", 0);
	if (error) starts--;
	return error;
}

API nvmlReturn nvmlInitWithFlags(unsigned flags) {
	(void)flags;
	return nvmlInit_v2();
}

API nvmlReturn nvmlShutdown(void) {
	if (!starts) return NVML_UNINITIALIZED;
	starts--;
	return NVML_OK;
}

// A handle is its slot, moved away from null.
nvmlDevice handle_of(int slot) { return (nvmlDevice)(uintptr_t)(0x1000 + slot); }

nvmlReturn ask(nvmlDevice handle, struct device *d) {
	struct device all[MAX_DEVICES];
	nvmlReturn error = ready();
	if (error) return error;
	int n = all_devices(all), slot = (int)((uintptr_t)handle - 0x1000);
	if (slot < 0 || slot >= MAX_DEVICES) return NVML_INVALID_ARGUMENT;
	for (int i = 0; i < n; i++)
		if (all[i].slot == slot) {
			*d = all[i];
			return d->lost ? NVML_GPU_IS_LOST : NVML_OK;
		}
	return NVML_GPU_IS_LOST;
}

API nvmlReturn nvmlDeviceGetCount_v2(unsigned *n) {
	struct device all[MAX_DEVICES];
	nvmlReturn error = ready();
	if (!error) *n = (unsigned)all_devices(all);
	return error;
}

API nvmlReturn nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice *out) {
	struct device all[MAX_DEVICES];
	nvmlReturn error = ready();
	if (error) return error;
	if (index >= (unsigned)all_devices(all)) return NVML_INVALID_ARGUMENT;
	if (all[index].lost) return NVML_GPU_IS_LOST;
	*out = handle_of(all[index].slot);
	return NVML_OK;
}

API nvmlReturn nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice *out) {
	struct device all[MAX_DEVICES];
	nvmlReturn error = ready();
	int n = all_devices(all);
	if (error) return error;
	for (int i = 0; i < n; i++)
		if (!strcasecmp(all[i].uuid, uuid)) return nvmlDeviceGetHandleByIndex_v2((unsigned)i, out);
	return NVML_NOT_FOUND;
}

API nvmlReturn nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice *out) {
	struct device all[MAX_DEVICES];
	nvmlReturn error = ready();
	int n = all_devices(all);
	if (error) return error;
	// Domains are written with four digits or with eight.
	for (int i = 0; i < n; i++)
		if (!strcasecmp(strchr(all[i].pci, ':'), strchr(id, ':') ? strchr(id, ':') : id))
			return nvmlDeviceGetHandleByIndex_v2((unsigned)i, out);
	return NVML_NOT_FOUND;
}

static nvmlReturn tell(char *into, unsigned size, const char *what) {
	if (strlen(what) >= size) return NVML_INSUFFICIENT_SIZE;
	strcpy(into, what);
	return NVML_OK;
}

API nvmlReturn nvmlDeviceGetName(nvmlDevice h, char *name, unsigned size) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	return error ? error : tell(name, size, d.name);
}

API nvmlReturn nvmlDeviceGetUUID(nvmlDevice h, char *uuid, unsigned size) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	return error ? error : tell(uuid, size, d.uuid);
}

API nvmlReturn nvmlDeviceGetIndex(nvmlDevice h, unsigned *index) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (!error) *index = (unsigned)d.index;
	return error;
}

API nvmlReturn nvmlDeviceGetMinorNumber(nvmlDevice h, unsigned *minor) { return nvmlDeviceGetIndex(h, minor); }

API nvmlReturn nvmlDeviceGetPciInfo_v3(nvmlDevice h, struct pci *p) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (error) return error;
	memset(p, 0, sizeof *p);
	sscanf(d.pci, "%x:%x:%x", &p->domain, &p->bus, &p->device);
	p->id = 0x268410de;
	snprintf(p->legacy, sizeof p->legacy, "%04X:%02X:%02X.0", p->domain & 0xffff, p->bus & 0xff, p->device & 0xff);
	snprintf(p->bus_id, sizeof p->bus_id, "%08X:%02X:%02X.0", p->domain, p->bus, p->device);
	return NVML_OK;
}

API nvmlReturn nvmlDeviceGetCudaComputeCapability(nvmlDevice h, int *major, int *minor) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (error) return error;
	*major = d.compute / 10;
	*minor = d.compute % 10;
	return NVML_OK;
}

// Cards that cannot be divided say so; only some can.
API nvmlReturn nvmlDeviceGetMigMode(nvmlDevice h, unsigned *now, unsigned *pending) {
	struct device d;
	char value[16];
	nvmlReturn error = ask(h, &d);
	if (error) return error;
	if (!device_text(d.slot, "mig", value, sizeof value)) return NVML_NOT_SUPPORTED;
	*now = *pending = d.mig != 0;
	return NVML_OK;
}

API nvmlReturn nvmlDeviceGetMaxMigDeviceCount(nvmlDevice h, unsigned *n) {
	struct device d;
	nvmlReturn error = ask(h, &d);
	if (!error) *n = d.mig ? 7 : 0;
	return error;
}

API nvmlReturn nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice h, unsigned index, nvmlDevice *out) {
	(void)h, (void)index, (void)out;
	return NVML_NOT_FOUND;
}

API nvmlReturn nvmlSystemGetDriverVersion(char *version, unsigned size) {
	char v[64];
	nvmlReturn error = ready();
	driver_version(v, sizeof v);
	return error ? error : tell(version, size, v);
}

API nvmlReturn nvmlSystemGetNVMLVersion(char *version, unsigned size) {
	char v[64], full[80];
	driver_version(v, sizeof v);
	snprintf(full, sizeof full, "12.%s", v);
	return tell(version, size, full);
}

API nvmlReturn nvmlSystemGetCudaDriverVersion(int *version) {
	*version = cuda_version();
	return ready();
}

API nvmlReturn nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }

API const char *nvmlErrorString(nvmlReturn error) {
	static const struct { nvmlReturn code; const char *text; } texts[] = {
		{0, "Success"}, {1, "Uninitialized"}, {2, "Invalid Argument"}, {3, "Not Supported"}, {4, "Insufficient Permissions"},
		{6, "Not Found"}, {7, "Insufficient Size"}, {9, "Driver Not Loaded"}, {10, "Timeout"}, {15, "GPU is lost"},
		{18, "Driver/library version mismatch"}, {999, "Unknown Error"},
	};
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].code == error) return texts[i].text;
	return "Unknown Error";
}
