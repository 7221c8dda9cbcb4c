// The management interface: the structures that are asked for, and finding a device.
#ifndef FAKEGPU_NVML_H
#define FAKEGPU_NVML_H

#include "core.h"

#define API __attribute__((visibility("default")))

typedef int nvmlReturn;
typedef struct handle *nvmlDevice;

enum {
	NVML_OK = 0, NVML_UNINITIALIZED = 1, NVML_INVALID_ARGUMENT = 2, NVML_NOT_SUPPORTED = 3, NVML_NOT_FOUND = 6,
	NVML_INSUFFICIENT_SIZE = 7, NVML_TIMEOUT = 10, NVML_GPU_IS_LOST = 15,
};

struct memory { unsigned long long total, free, used; };
struct memory2 { unsigned version; unsigned long long total, reserved, free, used; };
struct pci { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; };
struct encoder_session { unsigned session, pid, vgpu; int codec; unsigned width, height, rate, latency; };
struct running { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; };
struct event { nvmlDevice device; unsigned long long kind, data; unsigned gpu_instance, compute_instance; };

// nvml_device.c: ask finds the device of a handle, or says why not. ready is for what
// is asked of no device.
nvmlReturn ready(void);
nvmlReturn ask(nvmlDevice handle, struct device *d);
nvmlDevice handle_of(int slot);

#endif
