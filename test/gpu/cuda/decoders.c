#include "decoders.h"

#include <dlfcn.h>
#include <string.h>

// load is the driver's question for a decoder's abilities, or NULL.
static int (*load(void))(void *) {
	void *library = dlopen("libnvcuvid.so.1", RTLD_NOW | RTLD_LOCAL);
	return library ? (int (*)(void *))dlsym(library, "cuvidGetDecoderCaps") : NULL;
}

struct tutti_result tutti_decoder(const struct tutti_cuda *c, void *context, struct tutti_decoder *d) {
	int (*ask)(void *) = load();
	if (!ask) return (struct tutti_result){TUTTI_NO_LIBRARY, "libnvcuvid.so.1"};
	// The interface's structure, by offsets: three numbers are asked, the rest is answered.
	union { uint8_t bytes[128]; uint32_t words[32]; uint16_t halves[64]; } caps;
	memset(&caps, 0, sizeof caps);
	caps.words[0] = (uint32_t)d->codec;
	caps.words[1] = (uint32_t)d->chroma;
	caps.words[2] = (uint32_t)d->bits - 8;
	int error = c->push(context);
	if (error) return (struct tutti_result){error, "cuCtxPushCurrent"};
	error = ask(&caps);
	c->pop(NULL);
	d->supported = caps.bytes[24];
	d->units = caps.bytes[25];
	d->most_width = (int)caps.words[7];
	d->most_height = (int)caps.words[8];
	d->least_width = caps.halves[20];
	d->least_height = caps.halves[21];
	return (struct tutti_result){error, "cuvidGetDecoderCaps"};
}
