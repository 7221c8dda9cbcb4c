// HEVC without an HEVC encoder: every picture is intra, every block its own slice and
// its samples as they are, at 6 bits. It is valid, looks right, and is far larger than
// what was asked for.
#include <stdlib.h>
#include <string.h>

#include "nvenc.h"
#include "bits.h"

// Blocks are the largest that may hold plain samples. Between slice header and samples,
// and after them, CABAC says the same few bits each time: "one block, plain", "the end".
enum { BLOCK = 32, DEPTH = 6, POC_BITS = 8 };
static const uint8_t plain[] = {0x86, 0x80}, end[] = {0xfe, 0x80};

static int blocks(int size) { return (size + BLOCK - 1) / BLOCK; }

static void put_level(struct bits *b) {
	put(b, 8, 1);
	put(b, 32, 1u << 30);
	put(b, 4, 9);
	put(b, 32, 0);
	put(b, 12, 0);
	put(b, 8, 186);
	put(b, 1, 1);
	put_ue(b, 1);
	put_ue(b, 0);
	put_ue(b, 0);
}

static int video_set(uint8_t *into, int room) {
	struct bits b = {.n = 0};
	put(&b, 4, 0);
	put(&b, 2, 3);
	put(&b, 9, 0);
	put(&b, 1, 1);
	put(&b, 16, 0xffff);
	put_level(&b);
	put(&b, 6, 0);
	put_ue(&b, 0);
	put(&b, 2, 0);
	return finish(&b, (const uint8_t[]){0x40, 1}, 2, into, room);
}

static int sequence_set(const struct session *s, uint8_t *into, int room) {
	struct bits b = {.n = 0}, level = {.n = 0};
	int wide = blocks(s->width) * BLOCK, high = blocks(s->height) * BLOCK;
	put(&b, 7, 0);
	put(&b, 1, 1);
	// Profile and level come here before the size, the buffering after it.
	put_level(&level);
	for (int i = 0; i < 96; i++) put(&b, 1, level.raw[i / 8] >> (7 - i % 8) & 1);
	put_ue(&b, 0);
	put_ue(&b, 1);
	put_ue(&b, (unsigned)wide);
	put_ue(&b, (unsigned)high);
	put(&b, 1, 1);
	put_ue(&b, 0);
	put_ue(&b, (unsigned)(wide - s->width) / 2);
	put_ue(&b, 0);
	put_ue(&b, (unsigned)(high - s->height) / 2);
	put_ue(&b, 0);
	put_ue(&b, 0);
	put_ue(&b, POC_BITS - 4);
	put(&b, 1, 1);
	put_ue(&b, 1);
	put_ue(&b, 0);
	put_ue(&b, 0);
	put_ue(&b, 2); // coding blocks of 32 alone
	put_ue(&b, 0);
	put_ue(&b, 0); // transforms of 4 to 32
	put_ue(&b, 3);
	put_ue(&b, 0);
	put_ue(&b, 0);
	put(&b, 3, 0);
	put(&b, 1, 1); // plain samples, in blocks of 32, unfiltered
	put(&b, 4, DEPTH - 1);
	put(&b, 4, DEPTH - 1);
	put_ue(&b, 2);
	put_ue(&b, 0);
	put(&b, 1, 1);
	put_ue(&b, 0);
	put(&b, 5, 0);
	return finish(&b, (const uint8_t[]){0x42, 1}, 2, into, room);
}

static int picture_set(uint8_t *into, int room) {
	struct bits b = {.n = 0};
	put_ue(&b, 0);
	put_ue(&b, 0);
	put(&b, 7, 0);
	put_ue(&b, 0);
	put_ue(&b, 0);
	put_se(&b, 0);
	put(&b, 3, 0);
	put_se(&b, 0);
	put_se(&b, 0);
	put(&b, 7, 0);
	put(&b, 3, 5); // deblocking is spoken of: no override, off
	put(&b, 2, 0);
	put_ue(&b, 0);
	put(&b, 2, 0);
	return finish(&b, (const uint8_t[]){0x44, 1}, 2, into, room);
}

int hevc_headers(const struct session *s, uint8_t *into, int room) {
	int n = video_set(into, room);
	n += sequence_set(s, into + n, room - n);
	return n + picture_set(into + n, room - n);
}

// A writer of escaped bytes.
struct writer { uint8_t *to; int n, zeros; unsigned held; int bits; };

static void put_byte(struct writer *w, uint8_t byte) {
	if (w->zeros >= 2 && byte <= 3) w->to[w->n++] = 3, w->zeros = 0;
	w->zeros = byte ? 0 : w->zeros + 1;
	w->to[w->n++] = byte;
}

static void put_sample(struct writer *w, uint8_t sample) {
	w->held = w->held << DEPTH | sample >> (8 - DEPTH);
	for (w->bits += DEPTH; w->bits >= 8; w->bits -= 8) put_byte(w, (uint8_t)(w->held >> (w->bits - 8)));
}

static void slice_header(struct writer *w, const struct session *s, int block, int idr, unsigned poc) {
	struct bits b = {.n = 0};
	int width = 0, all = blocks(s->width) * blocks(s->height);
	while (1 << width < all) width++;
	put(&b, 1, block == 0);
	if (idr) put(&b, 1, 0);
	put_ue(&b, 0);
	if (block) put(&b, width, (unsigned)block);
	put_ue(&b, 2);
	if (!idr) {
		put(&b, POC_BITS, poc & ((1 << POC_BITS) - 1));
		put(&b, 1, 0);
		put_ue(&b, 0);
		put_ue(&b, 0);
	}
	put_se(&b, 0);
	put(&b, 1, 1);
	while (b.n % 8) put(&b, 1, 0);
	static const uint8_t start[] = {0, 0, 1};
	memcpy(w->to + w->n, start, sizeof start);
	w->n += (int)sizeof start;
	w->zeros = 0;
	put_byte(w, (uint8_t)((idr ? 19 : 1) << 1));
	put_byte(w, 1);
	for (int i = 0; i < b.n / 8; i++) put_byte(w, b.raw[i]);
}

// put_plane writes a block of a plane; beyond its edge the last sample goes on.
static void put_plane(struct writer *w, const uint8_t *plane, int pitch, int step, int x, int y, int size, int width,
	int height) {
	for (int j = y; j < y + size; j++)
		for (int i = x; i < x + size; i++)
			put_sample(w, plane[(size_t)(j < height ? j : height - 1) * (size_t)pitch +
				(size_t)((i < width ? i : width - 1) * step)]);
}

NVENCSTATUS hevc_encode(struct session *s, const struct input *in, struct output *out, int idr) {
	int across = blocks(s->width), all = across * blocks(s->height), w = s->width, h = s->height, half = in->pitch / 2;
	int room = 1024 + all * (BLOCK * BLOCK * 3 / 2 * 3 / 2 + 64);
	const uint8_t *chroma = in->data + (size_t)in->pitch * (size_t)in->height,
		*second = chroma + (size_t)half * (size_t)(in->height / 2);
	const uint8_t *u = in->format == NV12 || in->format == IYUV ? chroma : second, *v = in->format == NV12 ? chroma + 1 :
		in->format == IYUV ? second : chroma;
	int pitch = in->format == NV12 ? in->pitch : half, step = in->format == NV12 ? 2 : 1;
	if (out->room < room) out->data = realloc(out->data, (size_t)(out->room = room));
	struct writer to = {.to = out->data};
	s->since = idr ? 0 : s->since + 1;
	if (idr && s->repeat) to.n = hevc_headers(s, out->data, room);
	for (int i = 0; i < all; i++) {
		int x = i % across * BLOCK, y = i / across * BLOCK;
		slice_header(&to, s, i, idr, s->since);
		for (int k = 0; k < 2; k++) put_byte(&to, plain[k]);
		put_plane(&to, in->data, in->pitch, 1, x, y, BLOCK, w, h);
		put_plane(&to, u, pitch, step, x / 2, y / 2, BLOCK / 2, w / 2, h / 2);
		put_plane(&to, v, pitch, step, x / 2, y / 2, BLOCK / 2, w / 2, h / 2);
		for (int k = 0; k < 2; k++) put_byte(&to, end[k]);
	}
	out->bytes = to.n;
	out->kind = idr ? 3 : 2;
	out->quantizer = 26;
	return NVENC_OK;
}
