// Device memory and copies.
#include <string.h>

#include "core.h"
#include "cuda.h"

API CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
	CUresult error = usable("allocate");
	return error ? error : device_alloc(pointer, bytes);
}

API CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned element) {
	(void)element;
	*pitch = (width + 511) / 512 * 512;
	return cuMemAlloc_v2(pointer, *pitch * height);
}

API CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags) {
	(void)flags;
	return cuMemAlloc_v2(pointer, bytes);
}

API CUresult cuMemFree_v2(CUdeviceptr pointer) {
	if (!current()) return CUDA_INVALID_CONTEXT;
	return pointer ? device_free(pointer) : CUDA_OK;
}

API CUresult cuMemGetInfo_v2(size_t *unused, size_t *total) {
	struct device all[MAX_DEVICES];
	CUresult error = usable("allocate");
	if (error) return error;
	int n = all_devices(all), slot = current()->slot;
	for (int i = 0; i < n; i++)
		if (all[i].slot == slot) *total = all[i].memory;
	*unused = *total - held_by_all(slot, MEMORY) - ((size_t)device_number(slot, "used", 0) << 20);
	return CUDA_OK;
}

API CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n) {
	CUresult error = usable("copy");
	if (!error) memset((void *)to, value, n);
	return error;
}

API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, void *stream) {
	(void)stream;
	return cuMemsetD8_v2(to, value, n);
}

static CUresult copy(void *to, const void *from, size_t n, int up, int down) {
	CUresult error = usable("copy");
	if (error) return error;
	memcpy(to, from, n);
	if (up) count(current()->slot, UPLOADED_BYTES, n);
	if (down) count(current()->slot, DOWNLOADED_BYTES, n);
	return CUDA_OK;
}

API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) { return copy((void *)to, (void *)from, n, 0, 0); }
API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) { return copy((void *)to, from, n, 1, 0); }
API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) { return copy(to, (void *)from, n, 0, 1); }
API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) { return cuMemcpy(to, from, n); }

API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, void *stream) {
	(void)stream;
	return cuMemcpy(to, from, n);
}

API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, void *stream) {
	(void)stream;
	return cuMemcpyHtoD_v2(to, from, n);
}

API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, void *stream) {
	(void)stream;
	return cuMemcpyDtoH_v2(to, from, n);
}

API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, void *stream) {
	(void)stream;
	return cuMemcpy(to, from, n);
}

API CUresult cuMemcpy2D_v2(const struct copy2d *c) {
	CUresult error = usable("copy");
	if (error) return error;
	if (c->from_kind > DEVICE || c->to_kind > DEVICE) return CUDA_NOT_SUPPORTED;
	const uint8_t *from = c->from_kind == HOST ? c->from_host : (void *)c->from_device;
	uint8_t *to = c->to_kind == HOST ? c->to_host : (void *)c->to_device;
	from += c->from_y * c->from_pitch + c->from_x;
	to += c->to_y * c->to_pitch + c->to_x;
	for (size_t y = 0; y < c->height; y++) memcpy(to + y * c->to_pitch, from + y * c->from_pitch, c->width);
	if (c->from_kind == HOST) count(current()->slot, UPLOADED_BYTES, c->width * c->height);
	if (c->to_kind == HOST) count(current()->slot, DOWNLOADED_BYTES, c->width * c->height);
	return CUDA_OK;
}

API CUresult cuMemcpy2DAsync_v2(const struct copy2d *c, void *stream) {
	(void)stream;
	return cuMemcpy2D_v2(c);
}
