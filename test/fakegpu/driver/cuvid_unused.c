// Locks, which only have to be locks, and the parts of the decoder library that
// FFmpeg asks for by name and never calls: sources, parsers, reconfiguration.
#include <pthread.h>
#include <stdlib.h>

#include "cuda.h"

API CUresult cuvidCtxLockCreate(pthread_mutex_t **lock, void *context) {
	pthread_mutexattr_t again;
	(void)context;
	pthread_mutexattr_init(&again);
	pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
	*lock = malloc(sizeof **lock);
	pthread_mutex_init(*lock, &again);
	return CUDA_OK;
}

API CUresult cuvidCtxLockDestroy(pthread_mutex_t *lock) {
	free(lock);
	return CUDA_OK;
}

API CUresult cuvidCtxLock(pthread_mutex_t *lock, unsigned flags) {
	(void)flags;
	pthread_mutex_lock(lock);
	return CUDA_OK;
}

API CUresult cuvidCtxUnlock(pthread_mutex_t *lock, unsigned flags) {
	(void)flags;
	pthread_mutex_unlock(lock);
	return CUDA_OK;
}

#define UNUSED(name) API CUresult name(void) { return CUDA_NOT_SUPPORTED; }

UNUSED(cuvidReconfigureDecoder)
UNUSED(cuvidCreateVideoSource)
UNUSED(cuvidCreateVideoSourceW)
UNUSED(cuvidDestroyVideoSource)
UNUSED(cuvidSetVideoSourceState)
UNUSED(cuvidGetVideoSourceState)
UNUSED(cuvidGetSourceVideoFormat)
UNUSED(cuvidGetSourceAudioFormat)
UNUSED(cuvidCreateVideoParser)
UNUSED(cuvidParseVideoData)
UNUSED(cuvidDestroyVideoParser)
