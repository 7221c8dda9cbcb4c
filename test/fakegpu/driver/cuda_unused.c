// What the media libraries ask for by name and never call: graphics, arrays, the
// linker, external memory.
#include "cuda.h"

#define UNUSED(name) API CUresult name(void) { return CUDA_NOT_SUPPORTED; }

UNUSED(cuLinkCreate)
UNUSED(cuLinkAddData)
UNUSED(cuLinkComplete)
UNUSED(cuLinkDestroy)
UNUSED(cuGLGetDevices_v2)
UNUSED(cuGraphicsGLRegisterImage)
UNUSED(cuGraphicsUnregisterResource)
UNUSED(cuGraphicsMapResources)
UNUSED(cuGraphicsUnmapResources)
UNUSED(cuGraphicsSubResourceGetMappedArray)
UNUSED(cuGraphicsResourceGetMappedPointer_v2)
UNUSED(cuArrayCreate_v2)
UNUSED(cuArray3DCreate_v2)
UNUSED(cuArrayDestroy)
