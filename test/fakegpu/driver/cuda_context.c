// Contexts, streams and events. All work is done at once, so streams and events
// only have to exist.
#include <pthread.h>
#include <stdlib.h>

#include "core.h"
#include "cuda.h"

static struct context *primaries[MAX_DEVICES];
static int uses[MAX_DEVICES];
static unsigned flags_of[MAX_DEVICES];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

API CUresult cuCtxCreate_v2(struct context **out, unsigned flags, int device) {
	int error = CUDA_INVALID_VALUE;
	(void)flags;
	*out = open_context(device, 0, &error);
	return *out ? push(*out) : error;
}

API CUresult cuCtxDestroy_v2(struct context *c) {
	if (!c) return CUDA_INVALID_CONTEXT;
	close_context(c);
	return CUDA_OK;
}

API CUresult cuCtxGetCurrent(struct context **out) {
	*out = current();
	return CUDA_OK;
}

API CUresult cuCtxSetCurrent(struct context *c) {
	pop();
	return c ? push(c) : CUDA_OK;
}

API CUresult cuCtxPushCurrent_v2(struct context *c) { return push(c); }

API CUresult cuCtxPopCurrent_v2(struct context **out) {
	struct context *c = pop();
	if (out) *out = c;
	return c ? CUDA_OK : CUDA_INVALID_CONTEXT;
}

API CUresult cuCtxGetDevice(int *device) {
	if (!current()) return CUDA_INVALID_CONTEXT;
	*device = current()->ordinal;
	return CUDA_OK;
}

API CUresult cuCtxSetLimit(int limit, size_t value) {
	(void)limit, (void)value;
	return CUDA_OK;
}

API CUresult cuCtxSynchronize(void) { return usable("synchronize"); }

API CUresult cuDevicePrimaryCtxRetain(struct context **out, int device) {
	int error = CUDA_INVALID_DEVICE;
	if (device < 0 || device >= MAX_DEVICES) return error;
	pthread_mutex_lock(&guard);
	if (!primaries[device]) primaries[device] = open_context(device, 1, &error);
	*out = primaries[device];
	if (*out) uses[device]++;
	pthread_mutex_unlock(&guard);
	return *out ? CUDA_OK : error;
}

static CUresult let_go(int device, int all) {
	if (device < 0 || device >= MAX_DEVICES) return CUDA_INVALID_DEVICE;
	pthread_mutex_lock(&guard);
	CUresult error = primaries[device] ? CUDA_OK : CUDA_INVALID_CONTEXT;
	if (!error && (all || --uses[device] == 0)) {
		close_context(primaries[device]);
		primaries[device] = NULL;
		uses[device] = 0;
	}
	pthread_mutex_unlock(&guard);
	return error;
}

API CUresult cuDevicePrimaryCtxRelease(int device) { return let_go(device, 0); }
API CUresult cuDevicePrimaryCtxRelease_v2(int device) { return let_go(device, 0); }
API CUresult cuDevicePrimaryCtxReset(int device) { return let_go(device, 1); }
API CUresult cuDevicePrimaryCtxReset_v2(int device) { return let_go(device, 1); }

API CUresult cuDevicePrimaryCtxSetFlags(int device, unsigned flags) {
	if (device < 0 || device >= MAX_DEVICES) return CUDA_INVALID_DEVICE;
	flags_of[device] = flags;
	return CUDA_OK;
}

API CUresult cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
	return cuDevicePrimaryCtxSetFlags(device, flags);
}

API CUresult cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
	if (device < 0 || device >= MAX_DEVICES) return CUDA_INVALID_DEVICE;
	*flags = flags_of[device];
	*active = primaries[device] != NULL;
	return CUDA_OK;
}

typedef void callback(void *stream, CUresult status, void *data);

API CUresult cuStreamCreate(void **stream, unsigned flags) {
	(void)flags;
	return (*stream = malloc(1)) ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

API CUresult cuStreamDestroy_v2(void *stream) {
	free(stream);
	return CUDA_OK;
}

API CUresult cuStreamQuery(void *stream) {
	(void)stream;
	return usable("synchronize");
}

API CUresult cuStreamSynchronize(void *stream) {
	(void)stream;
	return usable("synchronize");
}

API CUresult cuStreamAddCallback(void *stream, callback *call, void *data, unsigned flags) {
	(void)flags;
	call(stream, usable("synchronize"), data);
	return CUDA_OK;
}

API CUresult cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
	(void)stream, (void)event, (void)flags;
	return CUDA_OK;
}

API CUresult cuEventCreate(void **event, unsigned flags) { return cuStreamCreate(event, flags); }
API CUresult cuEventDestroy_v2(void *event) { return cuStreamDestroy_v2(event); }
API CUresult cuEventSynchronize(void *event) { return cuStreamSynchronize(event); }
API CUresult cuEventQuery(void *event) { return cuStreamQuery(event); }

API CUresult cuEventRecord(void *event, void *stream) {
	(void)event, (void)stream;
	return CUDA_OK;
}
