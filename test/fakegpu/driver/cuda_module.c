// Modules, kernels and textures. A module is any image; what a kernel does follows
// from its name.
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "cuda.h"

// A module owns the kernels that were asked of it.
struct module { struct kernel *kernels; };

API CUresult cuModuleLoadData(struct module **out, const void *image) {
	CUresult error = usable("module");
	if (error) return error;
	if (!image) return CUDA_INVALID_VALUE;
	error = number_of("cuda.module", 0);
	if (error) return error;
	count(current()->slot, MODULES, 1);
	return (*out = calloc(1, sizeof **out)) ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

API CUresult cuModuleUnload(struct module *m) {
	if (!m) return CUDA_INVALID_HANDLE;
	while (m->kernels) {
		struct kernel *k = m->kernels;
		m->kernels = k->next;
		free(k);
	}
	free(m);
	return CUDA_OK;
}

API CUresult cuModuleGetFunction(struct kernel **out, struct module *m, const char *name) {
	if (!m) return CUDA_INVALID_HANDLE;
	if (!kernel_exists(name)) return CUDA_NOT_FOUND;
	struct kernel *k = calloc(1, sizeof *k);
	snprintf(k->name, sizeof k->name, "%s", name);
	k->next = m->kernels;
	*out = m->kernels = k;
	return CUDA_OK;
}

API CUresult cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, struct module *m, const char *name) {
	(void)pointer, (void)bytes, (void)m, (void)name;
	return CUDA_NOT_FOUND;
}

API CUresult cuLaunchKernel(struct kernel *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared_bytes, void *stream, void **parameters, void **extra) {
	(void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared_bytes, (void)stream, (void)extra;
	CUresult error = usable("kernel");
	if (error) return error;
	if (!k || !parameters) return CUDA_INVALID_VALUE;
	count(current()->slot, KERNELS, 1);
	return run_scale(k->name, parameters);
}

// The resource description, by offset: kind, then plane, format, channels, size.
API CUresult cuTexObjectCreate(struct texture **out, const uint8_t *resource, const void *how, const void *view) {
	enum { PITCHED = 3 };
	(void)how, (void)view;
	CUresult error = usable("texture");
	if (error) return error;
	if (*(const int *)resource != PITCHED) return CUDA_NOT_SUPPORTED;
	struct texture *t = calloc(1, sizeof *t);
	t->data = *(const uint8_t *const *)(resource + 8);
	t->sample = *(const int *)(resource + 16) == 1 ? 1 : 2;
	t->channels = *(const int *)(resource + 20);
	t->width = *(const size_t *)(resource + 24);
	t->height = *(const size_t *)(resource + 32);
	t->pitch = *(const size_t *)(resource + 40);
	if ((uint64_t)t->data % 512 || t->pitch % 32) {
		free(t);
		return CUDA_INVALID_VALUE;
	}
	*out = t;
	return CUDA_OK;
}

API CUresult cuTexObjectDestroy(struct texture *t) {
	free(t);
	return CUDA_OK;
}
