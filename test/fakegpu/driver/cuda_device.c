// Starting up, and what a device says of itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>

#include "core.h"
#include "cuda.h"

static int started;

// The codec libraries are found by name once they are loaded, also behind a sandbox
// that has shut their directory.
static void load_siblings(void) {
	static const char *const names[] = {"libnvcuvid.so.1", "libnvidia-encode.so.1"};
	char path[4200];
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", library_directory(), names[i]);
		dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	}
}

API CUresult cuInit(unsigned flags) {
	struct device seen[MAX_DEVICES];
	int error = number_of("cuda.init", 0);
	if (flags) return CUDA_INVALID_VALUE;
	if (error) return error;
	if (!visible_devices(seen)) return CUDA_NO_DEVICE;
	if (!started) load_siblings();
	started = 1;
	return CUDA_OK;
}

API CUresult cuDriverGetVersion(int *version) {
	*version = cuda_version();
	return CUDA_OK;
}

API CUresult cuDeviceGetCount(int *n) {
	struct device seen[MAX_DEVICES];
	if (!started) return CUDA_NOT_INITIALIZED;
	*n = visible_devices(seen);
	return CUDA_OK;
}

static CUresult device_at(int ordinal, struct device *d) {
	struct device seen[MAX_DEVICES];
	if (!started) return CUDA_NOT_INITIALIZED;
	if (ordinal < 0 || ordinal >= visible_devices(seen)) return CUDA_INVALID_DEVICE;
	*d = seen[ordinal];
	return CUDA_OK;
}

API CUresult cuDeviceGet(int *device, int ordinal) {
	struct device d;
	*device = ordinal;
	return device_at(ordinal, &d);
}

API CUresult cuDeviceGetName(char *name, int size, int ordinal) {
	struct device d;
	CUresult error = device_at(ordinal, &d);
	if (!error) snprintf(name, size, "%s", d.name);
	return error;
}

API CUresult cuDeviceTotalMem_v2(size_t *bytes, int ordinal) {
	struct device d;
	CUresult error = device_at(ordinal, &d);
	if (!error) *bytes = d.memory;
	return error;
}

API CUresult cuDeviceComputeCapability(int *major, int *minor, int ordinal) {
	struct device d;
	CUresult error = device_at(ordinal, &d);
	if (error) return error;
	*major = d.compute / 10;
	*minor = d.compute % 10;
	return CUDA_OK;
}

// The attributes that anyone here asks for, by number; the rest are 1.
API CUresult cuDeviceGetAttribute(int *value, int attribute, int ordinal) {
	struct device d;
	CUresult error = device_at(ordinal, &d);
	if (error) return error;
	unsigned domain = 0, bus = 0, slot = 0;
	sscanf(d.pci, "%x:%x:%x", &domain, &bus, &slot);
	switch (attribute) {
	case 1: *value = 1024; break;             // threads per block
	case 10: *value = 32; break;              // warp
	case 14: *value = 512; break;             // texture alignment
	case 16: *value = 128; break;             // multiprocessors
	case 33: *value = (int)bus; break;
	case 34: *value = (int)slot; break;
	case 50: *value = (int)domain; break;
	case 51: *value = 32; break;              // texture pitch alignment
	case 75: *value = d.compute / 10; break;
	case 76: *value = d.compute % 10; break;
	default: *value = 1;
	}
	return CUDA_OK;
}

API CUresult cuDeviceGetUuid(uint8_t uuid[16], int ordinal) {
	struct device d;
	CUresult error = device_at(ordinal, &d);
	if (error) return error;
	const char *at = strchr(d.uuid, '-');
	memset(uuid, 0, 16);
	for (int i = 0; at && *at && i < 32; at++) {
		char digit[2] = {*at, 0}, *end;
		long v = strtol(digit, &end, 16);
		if (*end || end == digit) continue;
		uuid[i / 2] |= (uint8_t)(i % 2 ? v : v << 4);
		i++;
	}
	return CUDA_OK;
}

API CUresult cuDeviceGetUuid_v2(uint8_t uuid[16], int ordinal) { return cuDeviceGetUuid(uuid, ordinal); }

API CUresult cuDeviceGetPCIBusId(char *id, int size, int ordinal) {
	struct device d;
	CUresult error = device_at(ordinal, &d);
	if (!error) snprintf(id, size, "%s", d.pci);
	return error;
}

API CUresult cuDeviceGetByPCIBusId(int *ordinal, const char *id) {
	struct device seen[MAX_DEVICES];
	int n = visible_devices(seen);
	for (*ordinal = 0; *ordinal < n; ++*ordinal)
		if (!strcmp(seen[*ordinal].pci, id)) return CUDA_OK;
	return CUDA_INVALID_VALUE;
}
