// The CUDA driver interface as its public documentation gives it: only what our
// media libraries call.
#ifndef FAKEGPU_CUDA_H
#define FAKEGPU_CUDA_H

#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef int CUresult;
typedef uint64_t CUdeviceptr;

enum {
	CUDA_OK = 0, CUDA_INVALID_VALUE = 1, CUDA_OUT_OF_MEMORY = 2, CUDA_NOT_INITIALIZED = 3, CUDA_NO_DEVICE = 100,
	CUDA_INVALID_DEVICE = 101, CUDA_INVALID_IMAGE = 200, CUDA_INVALID_CONTEXT = 201, CUDA_INVALID_HANDLE = 400,
	CUDA_NOT_FOUND = 500, CUDA_NOT_SUPPORTED = 801,
};

struct copy2d {
	size_t from_x, from_y;
	int from_kind;
	const void *from_host;
	CUdeviceptr from_device;
	void *from_array;
	size_t from_pitch, to_x, to_y;
	int to_kind;
	void *to_host;
	CUdeviceptr to_device;
	void *to_array;
	size_t to_pitch, width, height;
};

enum { HOST = 1, DEVICE = 2 };

// A texture over a pitched plane. sample is 1 for 8 bits, 2 for 16.
struct texture {
	const uint8_t *data;
	int sample, channels;
	size_t width, height, pitch;
};

// A kernel is known by its name.
struct kernel {
	struct kernel *next;
	char name[96];
};

// scale.c
int kernel_exists(const char *name);
int run_scale(const char *name, void **parameters);

#endif
