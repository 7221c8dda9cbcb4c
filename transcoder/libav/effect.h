// The effects of the sample pipeline: this build of libavfilter has no filter for them.
#ifndef TUTTI_LIBAV_EFFECT_H
#define TUTTI_LIBAV_EFFECT_H

#include <libavutil/frame.h>

enum { TUTTI_EDGES = 1, TUTTI_GRAY = 2, TUTTI_NEGATIVE = 3 };

// Draws src with an effect into dst. Both are 8-bit 4:2:0 and of one size; dst's buffers are
// allocated, and get src's properties.
int tutti_effect(const AVFrame *src, AVFrame *dst, int effect);

#endif
