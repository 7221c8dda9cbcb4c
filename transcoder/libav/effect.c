#include "effect.h"

#include <stdlib.h>
#include <string.h>

// Limited-range black and the chroma of gray.
enum { BLACK = 16, NEUTRAL = 128 };

static void fill_chroma(AVFrame *dst, int value)
{
	for (int p = 1; p < 3; p++)
		for (int y = 0; y < (dst->height + 1) / 2; y++)
			memset(dst->data[p] + (ptrdiff_t)y * dst->linesize[p], value, (dst->width + 1) / 2);
}

static void copy_plane(const AVFrame *src, AVFrame *dst, int p, int w, int h, int mask)
{
	for (int y = 0; y < h; y++) {
		const uint8_t *from = src->data[p] + (ptrdiff_t)y * src->linesize[p];
		uint8_t *to = dst->data[p] + (ptrdiff_t)y * dst->linesize[p];
		for (int x = 0; x < w; x++)
			to[x] = from[x] ^ mask;
	}
}

// Sobel's gradient of the light, one of its two sums as the other.
static void edges(const AVFrame *src, AVFrame *dst)
{
	const int w = src->width, h = src->height;
	for (int y = 0; y < h; y++) {
		uint8_t *to = dst->data[0] + (ptrdiff_t)y * dst->linesize[0];
		memset(to, BLACK, w);
		if (y == 0 || y == h - 1)
			continue;
		const uint8_t *m = src->data[0] + (ptrdiff_t)y * src->linesize[0];
		const uint8_t *a = m - src->linesize[0], *b = m + src->linesize[0];
		for (int x = 1; x < w - 1; x++) {
			int gx = a[x + 1] + 2 * m[x + 1] + b[x + 1] - a[x - 1] - 2 * m[x - 1] - b[x - 1];
			int gy = b[x - 1] + 2 * b[x] + b[x + 1] - a[x - 1] - 2 * a[x] - a[x + 1];
			int g = (abs(gx) + abs(gy)) / 2 + BLACK;
			to[x] = g > 235 ? 235 : g;
		}
	}
}

int tutti_effect(const AVFrame *src, AVFrame *dst, int effect)
{
	const int w = src->width, h = src->height;
	switch (effect) {
	case TUTTI_EDGES:
		edges(src, dst);
		fill_chroma(dst, NEUTRAL);
		break;
	case TUTTI_GRAY:
		copy_plane(src, dst, 0, w, h, 0);
		fill_chroma(dst, NEUTRAL);
		break;
	default:
		copy_plane(src, dst, 0, w, h, 0xff);
		copy_plane(src, dst, 1, (w + 1) / 2, (h + 1) / 2, 0xff);
		copy_plane(src, dst, 2, (w + 1) / 2, (h + 1) / 2, 0xff);
	}
	av_frame_side_data_free(&dst->side_data, &dst->nb_side_data);
	return av_frame_copy_props(dst, src);
}
