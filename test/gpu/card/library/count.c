// Counts what a program asks of an NVIDIA driver: decoders, encoders, kernels, and bytes
// between host and GPU. It is loaded before the program (LD_PRELOAD) and stands in for
// the loader's dlsym, through which libav finds every function of the driver. The
// counters are in the file that TUTTI_GPUCOUNT names, which all processes share.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// What is needed of the driver's interface, as its public documentation gives it.
typedef int CUresult;
typedef int NVENCSTATUS;
typedef uint64_t CUdeviceptr;
enum { CUDA_SUCCESS = 0, HOST = 1, DEVICE = 2, NVENC_SUCCESS = 0, NVENC_NEED_MORE_INPUT = 17, NVENC_END_OF_STREAM = 8 };

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

// Offsets in the encoder's table of functions, and of a picture's flags.
enum { ENCODE_PICTURE = 136, DESTROY_ENCODER = 224, OPEN_SESSION = 240, PICTURE_FLAGS = 16 };
#define FIELD(base, offset, type) (*(type *)((uint8_t *)(base) + (offset)))

// The order is the one that the Go side reads.
enum { DECODERS_CREATED, DECODERS_DESTROYED, PICTURES_DECODED, ENCODERS_OPENED, ENCODERS_CLOSED, PICTURES_ENCODED,
	KERNELS, MODULES, UPLOADED, DOWNLOADED, COUNTERS };

static uint64_t unshared[COUNTERS], *counters = unshared;

static void count(int which, uint64_t by) { __atomic_fetch_add(&counters[which], by, __ATOMIC_RELAXED); }

// The file is mapped when the program starts: a sandbox may close the file system later.
__attribute__((constructor)) static void attach(void) {
	const char *path = getenv("TUTTI_GPUCOUNT");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	struct stat st;
	if (fd < 0) return;
	if (fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof unshared) {
		void *m = mmap(NULL, sizeof unshared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (m != MAP_FAILED) counters = m;
	}
	close(fd);
}

// Each function has the driver's own in real_NAME once it was asked for.
#define FORWARD(name, parameters, arguments, on_success) \
	static CUresult(*real_##name) parameters; \
	static CUresult my_##name parameters { \
		CUresult result = real_##name arguments; \
		if (result == CUDA_SUCCESS) on_success; \
		return result; \
	}

static void copied(const struct copy2d *c) {
	uint64_t bytes = c->width * c->height;
	if (c->from_kind == HOST && c->to_kind == DEVICE) count(UPLOADED, bytes);
	if (c->from_kind == DEVICE && c->to_kind == HOST) count(DOWNLOADED, bytes);
}

FORWARD(cuMemcpy2D_v2, (const struct copy2d *c), (c), copied(c))
FORWARD(cuMemcpy2DAsync_v2, (const struct copy2d *c, void *s), (c, s), copied(c))
FORWARD(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t n), (to, from, n), count(UPLOADED, n))
FORWARD(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t n, void *s), (to, from, n, s),
	count(UPLOADED, n))
FORWARD(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t n), (to, from, n), count(DOWNLOADED, n))
FORWARD(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t n, void *s), (to, from, n, s), count(DOWNLOADED, n))
FORWARD(cuModuleLoadData, (void **m, const void *image), (m, image), count(MODULES, 1))
FORWARD(cuLaunchKernel, (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void *s, void **parameters, void **extra), (f, gx, gy, gz, bx, by, bz, shared, s, parameters, extra),
	count(KERNELS, 1))
FORWARD(cuvidCreateDecoder, (void **d, void *info), (d, info), count(DECODERS_CREATED, 1))
FORWARD(cuvidDestroyDecoder, (void *d), (d), count(DECODERS_DESTROYED, 1))
FORWARD(cuvidDecodePicture, (void *d, void *picture), (d, picture), count(PICTURES_DECODED, 1))

// The encoder's functions come in a table; every table has the same.
static NVENCSTATUS (*real_open)(void *, void **), (*real_close)(void *), (*real_encode)(void *, void *);
static NVENCSTATUS (*real_NvEncodeAPICreateInstance)(void *);

static NVENCSTATUS my_open(void *parameters, void **session) {
	NVENCSTATUS status = real_open(parameters, session);
	if (status == NVENC_SUCCESS) count(ENCODERS_OPENED, 1);
	return status;
}

static NVENCSTATUS my_close(void *session) {
	NVENCSTATUS status = real_close(session);
	if (status == NVENC_SUCCESS) count(ENCODERS_CLOSED, 1);
	return status;
}

// A picture of which the encoder wants more before it gives any is taken, too.
static NVENCSTATUS my_encode(void *session, void *picture) {
	int last = FIELD(picture, PICTURE_FLAGS, int) & NVENC_END_OF_STREAM;
	NVENCSTATUS status = real_encode(session, picture);
	if ((status == NVENC_SUCCESS || status == NVENC_NEED_MORE_INPUT) && !last) count(PICTURES_ENCODED, 1);
	return status;
}

static NVENCSTATUS my_NvEncodeAPICreateInstance(void *table) {
	NVENCSTATUS status = real_NvEncodeAPICreateInstance(table);
	if (status != NVENC_SUCCESS) return status;
	real_open = FIELD(table, OPEN_SESSION, void *);
	real_close = FIELD(table, DESTROY_ENCODER, void *);
	real_encode = FIELD(table, ENCODE_PICTURE, void *);
	FIELD(table, OPEN_SESSION, void *) = (void *)my_open;
	FIELD(table, DESTROY_ENCODER, void *) = (void *)my_close;
	FIELD(table, ENCODE_PICTURE, void *) = (void *)my_encode;
	return status;
}

#define ROW(name) { #name, (void *)my_##name, (void **)&real_##name }
static const struct { const char *name; void *mine; void **real; } functions[] = {
	ROW(cuMemcpy2D_v2), ROW(cuMemcpy2DAsync_v2), ROW(cuMemcpyHtoD_v2), ROW(cuMemcpyHtoDAsync_v2), ROW(cuMemcpyDtoH_v2),
	ROW(cuMemcpyDtoHAsync_v2), ROW(cuModuleLoadData), ROW(cuLaunchKernel), ROW(cuvidCreateDecoder),
	ROW(cuvidDestroyDecoder), ROW(cuvidDecodePicture), ROW(NvEncodeAPICreateInstance),
};

typedef void *(*dlsym_function)(void *, const char *);

static dlsym_function loader(void) {
	static dlsym_function found;
	if (!found) found = (dlsym_function)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (!found) found = (dlsym_function)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	return found;
}

// What the driver's libraries ask each other is not what the program asks for: the
// decoder's uploads streams and starts kernels of its own.
static int of_driver(const void *caller) {
	Dl_info at;
	if (!dladdr(caller, &at) || !at.dli_fname) return 0;
	const char *slash = strrchr(at.dli_fname, '/'), *name = slash ? slash + 1 : at.dli_fname;
	return !strncmp(name, "libcuda.so", 10) || !strncmp(name, "libnv", 5);
}

__attribute__((visibility("default"))) void *dlsym(void *handle, const char *name) {
	dlsym_function real = loader();
	if ((name[0] == 'c' || name[0] == 'N') && !of_driver(__builtin_return_address(0)))
		for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
			if (!strcmp(name, functions[i].name)) {
				void *found = real(handle, name);
				// The program's own question about ours, and libraries that ask each other.
				if (!found || found == functions[i].mine) return found;
				*functions[i].real = found;
				return functions[i].mine;
			}
	// A jump, so that the loader sees the real caller, which RTLD_NEXT depends on.
	return real(handle, name);
}
