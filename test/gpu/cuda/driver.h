// The functions of libcuda that are called, found by name in the library as it is loaded.
#ifndef TUTTI_TEST_CUDA_H
#define TUTTI_TEST_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t tutti_pointer;

struct tutti_cuda {
	int (*init)(unsigned);
	int (*count)(int *);
	int (*get)(int *, int);
	int (*uuid)(uint8_t *, int);
	int (*create)(void **, unsigned, int);
	int (*destroy)(void *);
	int (*push)(void *);
	int (*pop)(void **);
	int (*memory)(size_t *, size_t *);
	int (*alloc)(tutti_pointer *, size_t);
	int (*free)(tutti_pointer);
	int (*name)(int, const char **);
};

// tutti_cuda_load is NULL, or says why the library or one of its functions is not there.
const char *tutti_cuda_load(struct tutti_cuda *c);

// A call is the number of a CUDA error, and the function that it is of.
struct tutti_result { int error; const char *call; };

struct tutti_result tutti_cuda_count(const struct tutti_cuda *c, int *n);
struct tutti_result tutti_cuda_uuid(const struct tutti_cuda *c, int ordinal, uint8_t uuid[16]);
struct tutti_result tutti_cuda_open(const struct tutti_cuda *c, int ordinal, void **context, uint8_t uuid[16]);
struct tutti_result tutti_cuda_close(const struct tutti_cuda *c, void *context);
struct tutti_result tutti_cuda_memory(const struct tutti_cuda *c, void *context, size_t *free, size_t *total);
struct tutti_result tutti_cuda_take(const struct tutti_cuda *c, void *context, size_t bytes, tutti_pointer *p);
struct tutti_result tutti_cuda_return(const struct tutti_cuda *c, void *context, tutti_pointer p);
const char *tutti_cuda_name(const struct tutti_cuda *c, int error);

#endif
