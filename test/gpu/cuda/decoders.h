// What a GPU's decoder can do, by the function of libnvcuvid that says so.
#ifndef TUTTI_TEST_DECODERS_H
#define TUTTI_TEST_DECODERS_H

#include "driver.h"

// TUTTI_NO_LIBRARY stands for an error where libnvcuvid or its function is missing.
enum { TUTTI_NO_LIBRARY = -1 };

// Codec and chroma format are the driver's numbers. Sizes are in pixels.
struct tutti_decoder {
	int codec, chroma, bits;
	int supported, units, least_width, least_height, most_width, most_height;
};

struct tutti_result tutti_decoder(const struct tutti_cuda *c, void *context, struct tutti_decoder *d);

#endif
