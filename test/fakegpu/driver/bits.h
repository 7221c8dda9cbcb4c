// Writing and reading the headers of H.264 and HEVC, bit by bit.
#ifndef FAKEGPU_BITS_H
#define FAKEGPU_BITS_H

#include <stdint.h>
#include <string.h>

struct bits { uint8_t raw[480]; int n; };

static inline void put(struct bits *b, int width, unsigned value) {
	for (int i = width - 1; i >= 0; i--, b->n++) {
		if (b->n >= (int)sizeof b->raw * 8) return;
		if (b->n % 8 == 0) b->raw[b->n / 8] = 0;
		b->raw[b->n / 8] |= (uint8_t)(((value >> i) & 1) << (7 - b->n % 8));
	}
}

static inline void put_ue(struct bits *b, unsigned value) {
	int width = 0;
	while ((value + 1) >> (width + 1)) width++;
	put(b, width, 0);
	put(b, width + 1, value + 1);
}

__attribute__((unused)) static inline void put_se(struct bits *b, int value) {
	put_ue(b, value > 0 ? 2u * (unsigned)value - 1 : 2u * (unsigned)-value);
}

// finish writes start code, the unit's header and the payload with emulation
// prevention, and returns how many bytes.
static inline int finish(struct bits *b, const uint8_t *header, int header_bytes, uint8_t *into, int room) {
	int n = 4 + header_bytes, zeros = 0;
	put(b, 1, 1);
	while (b->n % 8) put(b, 1, 0);
	memcpy(into, (const uint8_t[]){0, 0, 0, 1}, 4);
	memcpy(into + 4, header, (size_t)header_bytes);
	for (int i = 0; i < b->n / 8 && n + 2 < room; i++) {
		if (zeros >= 2 && b->raw[i] <= 3) into[n++] = 3, zeros = 0;
		zeros = b->raw[i] ? 0 : zeros + 1;
		into[n++] = b->raw[i];
	}
	return n;
}

__attribute__((unused)) static inline unsigned get_ue(const uint8_t *data, int bytes, int *at) {
	int zeros = 0;
	unsigned value = 0;
	while (*at < bytes * 8 && !(data[*at / 8] >> (7 - *at % 8) & 1) && zeros < 24) zeros++, ++*at;
	for (int i = 0; i <= zeros && *at < bytes * 8; i++, ++*at) value = value << 1 | (data[*at / 8] >> (7 - *at % 8) & 1);
	return value - 1;
}

#endif
