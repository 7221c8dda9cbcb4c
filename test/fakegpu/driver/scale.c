// The kernels of scale_cuda, by name: Subsample_<algorithm>_<from>_<to>[_uv]. All of
// its filters are separable with at most four taps, so a plane is scaled by blending
// four rows into one and then four samples of that into one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

// A format's samples: bits that count, bytes, and whether U and V share a plane.
static const struct format { const char *name; int bits, bytes, paired; } formats[] = {
	{"nv12", 8, 1, 1}, {"yuv420p", 8, 1, 0}, {"yuv444p", 8, 1, 0},
	{"p010le", 10, 2, 1}, {"p016le", 16, 2, 1}, {"yuv444p16le", 16, 2, 0},
};

enum algorithm { NEAREST, BILINEAR, BICUBIC, LANCZOS };
static const char *const algorithms[] = {"Nearest", "Bilinear", "Bicubic", "Lanczos"};

struct plan { enum algorithm how; const struct format *from, *to; int chroma; };
struct tap { int at[4]; float weight[4]; };

static const struct format *format_named(const char *name) {
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (name && !strcmp(formats[i].name, name)) return &formats[i];
	return NULL;
}

static int plan_of(const char *name, struct plan *p) {
	char copy[96], *rest = copy;
	snprintf(copy, sizeof copy, "%s", name);
	const char *family = strsep(&rest, "_"), *how = strsep(&rest, "_"), *from = strsep(&rest, "_"),
		*to = strsep(&rest, "_");
	if (!family || !how || strcmp(family, "Subsample")) return 0;
	for (p->how = NEAREST; p->how <= LANCZOS && strcmp(algorithms[p->how], how); p->how++) {}
	p->from = format_named(from);
	p->to = format_named(to);
	p->chroma = rest && !strcmp(rest, "uv");
	return p->how <= LANCZOS && p->from && p->to && (!rest || p->chroma);
}

int kernel_exists(const char *name) {
	struct plan p;
	return plan_of(name, &p);
}

static void cubic(float x, float a, float w[4]) {
	w[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
	w[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
	w[2] = ((a + 2) * (1 - x) - (a + 3)) * (1 - x) * (1 - x) + 1;
	w[3] = 1 - w[0] - w[1] - w[2];
}

static void lanczos(float x, float w[4]) {
	float sum = 0;
	for (int i = 0; i < 4; i++) {
		float d = (float)M_PI * (x + 1 - i);
		w[i] = d == 0 ? 1 : sinf(d) * sinf(d / 2) / (d * d / 2);
		sum += w[i];
	}
	for (int i = 0; i < 4; i++) w[i] /= sum;
}

// linear puts the two taps of a texture fetch between samples at t.
static void linear(struct tap *t, int first, float x) {
	float low = floorf(x - 0.5f), part = x - 0.5f - low;
	t->at[first] = (int)low;
	t->at[first + 1] = (int)low + 1;
	t->weight[first] = (1 - part) / 2;
	t->weight[first + 1] = part / 2;
}

static struct tap tap_at(const struct plan *p, int x, int to, int from, float parameter) {
	struct tap t = {{0}, {0}};
	float scale = (float)from / (float)to, middle = ((float)x + 0.5f) * scale;
	if (p->how == NEAREST) {
		t.at[0] = (int)middle;
		t.weight[0] = 1;
	} else if (p->how == BILINEAR) {
		float spread = fminf(fmaxf(0.5f * (scale - 1), 0), 1);
		spread /= 0.5f + spread;
		linear(&t, 0, middle - spread);
		linear(&t, 2, middle + spread);
	} else {
		float low = floorf(middle - 0.5f), part = middle - 0.5f - low;
		for (int i = 0; i < 4; i++) t.at[i] = (int)low - 1 + i;
		if (p->how == LANCZOS) lanczos(part, t.weight);
		else cubic(part, parameter == 999999.0f ? 0 : -parameter, t.weight);
	}
	for (int i = 0; i < 4; i++) t.at[i] = t.at[i] < 0 ? 0 : t.at[i] >= from ? from - 1 : t.at[i];
	return t;
}

static unsigned converted(float v, const struct format *from, const struct format *to) {
	float top = from->bytes == 1 ? 255.0f : 65535.0f;
	unsigned s = (unsigned)(v < 0 ? 0 : v > top ? top : v + 0.5f);
	if (from->bytes == 1 && to->bytes == 2) s |= s << 8;
	if (from->bytes == 2 && to->bytes == 1) s >>= 8;
	if (from->bits == 10 && to->bits == 16) s |= s >> 10;
	return to->bits == 10 ? s & 0xffc0 : s;
}

// A component on both sides: plane and place within the plane.
struct side { const struct texture *from; uint8_t *to; int from_channel, to_channel, to_channels, pitch; };

static void blend_rows(const struct side *s, const struct tap *t, int width, float *row) {
	int channels = s->from->channels;
	memset(row, 0, sizeof *row * (size_t)width);
	for (int i = 0; i < 4; i++) {
		if (t->weight[i] == 0) continue;
		const uint8_t *bytes = s->from->data + (size_t)t->at[i] * s->from->pitch;
		const uint16_t *words = (const uint16_t *)bytes;
		if (s->from->sample == 1)
			for (int x = 0; x < width; x++) row[x] += t->weight[i] * bytes[x * channels + s->from_channel];
		else
			for (int x = 0; x < width; x++) row[x] += t->weight[i] * words[x * channels + s->from_channel];
	}
}

static void scale_component(const struct plan *p, const struct side *s, int width, int height, int from_w, int from_h,
	float parameter) {
	float *row = malloc(sizeof *row * (size_t)from_w);
	struct tap *across = malloc(sizeof *across * (size_t)width);
	for (int x = 0; x < width; x++) across[x] = tap_at(p, x, width, from_w, parameter);
	for (int y = 0; y < height; y++) {
		struct tap down = tap_at(p, y, height, from_h, parameter);
		uint8_t *line = s->to + (size_t)y * (size_t)s->pitch;
		blend_rows(s, &down, from_w, row);
		for (int x = 0; x < width; x++) {
			const struct tap *t = &across[x];
			float v = 0;
			for (int i = 0; i < 4; i++) v += t->weight[i] * row[t->at[i]];
			unsigned sample = converted(v, p->from, p->to);
			int at = x * s->to_channels + s->to_channel;
			if (p->to->bytes == 1) line[at] = (uint8_t)sample;
			else ((uint16_t *)line)[at] = (uint16_t)sample;
		}
	}
	free(row);
	free(across);
}

// The parameters: four textures, four planes to write, width, height and pitch of
// those, width and height of the source, the filter's parameter.
int run_scale(const char *name, void **parameters) {
	struct plan p;
	struct texture *from[4];
	uint8_t *to[4];
	int size[5];
	if (!plan_of(name, &p)) return CUDA_INVALID_HANDLE;
	for (int i = 0; i < 4; i++) from[i] = *(struct texture **)parameters[i], to[i] = *(uint8_t **)parameters[4 + i];
	for (int i = 0; i < 5; i++) size[i] = *(int *)parameters[8 + i];
	for (int c = p.chroma; c < (p.chroma ? 3 : 1); c++) {
		int in = p.from->paired && c ? 1 : c, out = p.to->paired && c ? 1 : c;
		struct side s = {
			.from = from[in], .to = to[out], .pitch = size[2],
			.from_channel = c - in, .to_channel = c - out, .to_channels = p.to->paired && c ? 2 : 1,
		};
		if (!s.from || !s.to) return CUDA_INVALID_VALUE;
		scale_component(&p, &s, size[0], size[1], size[3], size[4], *(float *)parameters[13]);
	}
	return CUDA_OK;
}
