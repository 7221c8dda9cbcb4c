#include "driver.h"

#include <dlfcn.h>

const char *tutti_cuda_load(struct tutti_cuda *c) {
	const struct { const char *name; void *into; } wanted[] = {
		{"cuInit", &c->init}, {"cuDeviceGetCount", &c->count}, {"cuDeviceGet", &c->get}, {"cuDeviceGetUuid", &c->uuid},
		{"cuCtxCreate_v2", &c->create}, {"cuCtxDestroy_v2", &c->destroy},
		{"cuCtxPushCurrent_v2", &c->push}, {"cuCtxPopCurrent_v2", &c->pop},
		{"cuMemGetInfo_v2", &c->memory}, {"cuMemAlloc_v2", &c->alloc},
		{"cuMemFree_v2", &c->free}, {"cuGetErrorName", &c->name},
	};
	// The library stays loaded: drivers do not bear to be unloaded.
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) return dlerror();
	for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (!(*(void **)wanted[i].into = dlsym(library, wanted[i].name))) return dlerror();
	return NULL;
}

static struct tutti_result result(int error, const char *call) { return (struct tutti_result){error, call}; }

struct tutti_result tutti_cuda_count(const struct tutti_cuda *c, int *n) {
	int error = c->init(0);
	if (error) return result(error, "cuInit");
	return result(c->count(n), "cuDeviceGetCount");
}

struct tutti_result tutti_cuda_uuid(const struct tutti_cuda *c, int ordinal, uint8_t uuid[16]) {
	int device, error = c->get(&device, ordinal);
	if (error) return result(error, "cuDeviceGet");
	return result(c->uuid(uuid, device), "cuDeviceGetUuid");
}

struct tutti_result tutti_cuda_open(const struct tutti_cuda *c, int ordinal, void **context, uint8_t uuid[16]) {
	int device, error = c->init(0);
	if (error) return result(error, "cuInit");
	struct tutti_result named = tutti_cuda_uuid(c, ordinal, uuid);
	if (named.error) return named;
	if ((error = c->get(&device, ordinal))) return result(error, "cuDeviceGet");
	if ((error = c->create(context, 0, device))) return result(error, "cuCtxCreate");
	// It is current in this thread, which may never be seen again.
	return result(c->pop(NULL), "cuCtxPopCurrent");
}

struct tutti_result tutti_cuda_close(const struct tutti_cuda *c, void *context) {
	return result(c->destroy(context), "cuCtxDestroy");
}

struct tutti_result tutti_cuda_memory(const struct tutti_cuda *c, void *context, size_t *free, size_t *total) {
	int error = c->push(context);
	if (error) return result(error, "cuCtxPushCurrent");
	error = c->memory(free, total);
	c->pop(NULL);
	return result(error, "cuMemGetInfo");
}

struct tutti_result tutti_cuda_take(const struct tutti_cuda *c, void *context, size_t bytes, tutti_pointer *p) {
	int error = c->push(context);
	if (error) return result(error, "cuCtxPushCurrent");
	error = c->alloc(p, bytes);
	c->pop(NULL);
	return result(error, "cuMemAlloc");
}

struct tutti_result tutti_cuda_return(const struct tutti_cuda *c, void *context, tutti_pointer p) {
	int error = c->push(context);
	if (error) return result(error, "cuCtxPushCurrent");
	error = c->free(p);
	c->pop(NULL);
	return result(error, "cuMemFree");
}

const char *tutti_cuda_name(const struct tutti_cuda *c, int error) {
	const char *name = NULL;
	return c->name(error, &name) || !name ? "" : name;
}
