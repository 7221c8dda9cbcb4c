// H.264 parameter sets, written anew from what the driver is told of them: the
// slices come without, and a software decoder wants them.
#include "cuvid.h"
#include "bits.h"

// Offsets in the H.264 part of a picture's parameters.
enum {
	FRAME_NUM_BITS = 0, POC_TYPE = 4, POC_BITS = 8, DELTA_ZERO = 12, FRAMES_ONLY = 16, DIRECT_8X8 = 20, REFERENCES = 24,
	LUMA_DEPTH = 29, CHROMA_DEPTH = 30, BYPASS = 31, CABAC = 32, POC_PRESENT = 36, ACTIVE_L0 = 40, ACTIVE_L1 = 44,
	WEIGHTED = 48, BIPRED = 52, QP = 56, DEBLOCKING = 60, REDUNDANT = 64, TRANSFORM_8X8 = 68, CONSTRAINED = 76,
	CHROMA_QP = 80, SECOND_CHROMA_QP = 84, SCALE_4X4 = 552, SCALE_8X8 = 648,
};

#define H(offset) FIELD(picture, PIC_CODEC + (offset), const int)

int h264_sps(const void *picture, int mbaff, uint8_t *into, int room) {
	struct bits b = {.n = 0};
	int height = FIELD(picture, PIC_HEIGHT_MBS, const int);
	put(&b, 8, 100);
	put(&b, 8, 0);
	put(&b, 8, 51);
	put_ue(&b, 0);
	put_ue(&b, 1);
	put_ue(&b, FIELD(picture, PIC_CODEC + LUMA_DEPTH, const uint8_t));
	put_ue(&b, FIELD(picture, PIC_CODEC + CHROMA_DEPTH, const uint8_t));
	put(&b, 1, FIELD(picture, PIC_CODEC + BYPASS, const uint8_t));
	put(&b, 1, 0);
	put_ue(&b, (unsigned)H(FRAME_NUM_BITS));
	put_ue(&b, (unsigned)H(POC_TYPE));
	if (H(POC_TYPE) == 0) put_ue(&b, (unsigned)H(POC_BITS));
	if (H(POC_TYPE) == 1) {
		put(&b, 1, (unsigned)H(DELTA_ZERO));
		put_se(&b, 0);
		put_se(&b, 0);
		put_ue(&b, 0);
	}
	put_ue(&b, (unsigned)H(REFERENCES));
	put(&b, 1, 0);
	put_ue(&b, FIELD(picture, PIC_WIDTH_MBS, const unsigned) - 1);
	put_ue(&b, (unsigned)(H(FRAMES_ONLY) ? height : height / 2) - 1);
	put(&b, 1, (unsigned)H(FRAMES_ONLY));
	if (!H(FRAMES_ONLY)) put(&b, 1, (unsigned)mbaff);
	put(&b, 1, (unsigned)H(DIRECT_8X8));
	put(&b, 2, 0); // neither cropping nor VUI
	return finish(&b, (const uint8_t[]){0x67}, 1, into, room);
}

static void put_list(struct bits *b, const uint8_t *raster, int side) {
	int last = 8, x = 0, y = 0, up = 1;
	put(b, 1, 1);
	for (int i = 0; i < side * side; i++) {
		int value = raster[y * side + x], delta = value - last;
		put_se(b, delta > 127 ? delta - 256 : delta < -128 ? delta + 256 : delta);
		last = value;
		// The zigzag turns at the edges.
		if (up && (x == side - 1 || y == 0)) x == side - 1 ? y++ : x++, up = 0;
		else if (!up && (y == side - 1 || x == 0)) y == side - 1 ? x++ : y++, up = 1;
		else x += up ? 1 : -1, y += up ? -1 : 1;
	}
}

static int flat(const uint8_t *values, int n) {
	for (int i = 0; i < n; i++)
		if (values[i] != 16) return 0;
	return 1;
}

int h264_pps(const void *picture, int id, uint8_t *into, int room) {
	struct bits b = {.n = 0};
	const uint8_t *four = (const uint8_t *)picture + PIC_CODEC + SCALE_4X4,
		*eight = (const uint8_t *)picture + PIC_CODEC + SCALE_8X8;
	put_ue(&b, (unsigned)id);
	put_ue(&b, 0);
	put(&b, 1, (unsigned)H(CABAC));
	put(&b, 1, (unsigned)H(POC_PRESENT));
	put_ue(&b, 0);
	put_ue(&b, (unsigned)H(ACTIVE_L0));
	put_ue(&b, (unsigned)H(ACTIVE_L1));
	put(&b, 1, (unsigned)H(WEIGHTED));
	put(&b, 2, (unsigned)H(BIPRED));
	put_se(&b, H(QP));
	put_se(&b, 0);
	put_se(&b, H(CHROMA_QP));
	put(&b, 1, (unsigned)H(DEBLOCKING));
	put(&b, 1, (unsigned)H(CONSTRAINED));
	put(&b, 1, (unsigned)H(REDUNDANT));
	put(&b, 1, (unsigned)H(TRANSFORM_8X8));
	int plain = flat(four, 96) && flat(eight, 128);
	put(&b, 1, !plain);
	for (int i = 0; i < 6 && !plain; i++) put_list(&b, four + 16 * i, 4);
	for (int i = 0; i < 2 && !plain && H(TRANSFORM_8X8); i++) put_list(&b, eight + 64 * i, 8);
	put_se(&b, H(SECOND_CHROMA_QP));
	return finish(&b, (const uint8_t[]){0x68}, 1, into, room);
}

// h264_pps_of_slice reads which set a slice wants: after its header byte come the first
// macroblock, the kind of slice, and that.
int h264_pps_of_slice(const uint8_t *nal, int bytes) {
	int at = 8;
	get_ue(nal, bytes, &at);
	get_ue(nal, bytes, &at);
	return (int)get_ue(nal, bytes, &at);
}
