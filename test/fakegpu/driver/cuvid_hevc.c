// HEVC parameter sets, as in cuvid_h264.c. Streams that keep reference picture sets,
// scaling lists or range extensions in their parameter sets do not show the driver
// all of those, and are not decoded here.
#include "cuvid.h"
#include "bits.h"

// Offsets in the HEVC part of a picture's parameters; where neighbors follow, the
// first of them.
enum {
	WIDTH = 0, HEIGHT = 4, MIN_CODING = 8, DIFF_CODING = 9, MIN_TRANSFORM = 10, DIFF_TRANSFORM = 11, PCM = 12,
	MIN_PCM = 13, DIFF_PCM = 14,
	PCM_LUMA = 15, PCM_CHROMA = 16, PCM_NO_FILTER = 17, STRONG_INTRA = 18, DEPTH_INTRA = 19, DEPTH_INTER = 20,
	ASYMMETRIC = 21, POC_BITS = 23,
	SHORT_SETS = 24, LONG_TERM = 25, LONG_SETS = 26, TEMPORAL_MVP = 27, SAO = 28, SCALING = 29, LUMA_DEPTH = 32,
	CHROMA_DEPTH = 33,
	DEPENDENT = 48, HEADER_EXTENSION = 49, SIGN_HIDING = 50, QP_DELTA = 51, QP_DELTA_DEPTH = 52, QP = 53, CB = 54, CR = 55,
	CONSTRAINED = 56,
	WEIGHTED = 57, BIPRED = 58, TRANSFORM_SKIP = 59, BYPASS = 60, ENTROPY_SYNC = 61, MERGE = 62, EXTRA_BITS = 63,
	ACROSS_TILES = 64,
	ACROSS_SLICES = 65, OUTPUT_FLAG = 66, ACTIVE_L0 = 67, ACTIVE_L1 = 68, LISTS = 69, CABAC_INIT = 70,
	SLICE_CHROMA_QP = 71, OVERRIDE = 72,
	NO_DEBLOCKING = 73, BETA = 74, TC = 75, TILES = 76, UNIFORM = 77, COLUMNS = 78, ROWS = 79, WIDTHS = 80, HEIGHTS = 122,
	SPS_RANGE = 164,
	PPS_RANGE = 173,
};

#define U(offset) ((unsigned)FIELD(picture, PIC_CODEC + (offset), const uint8_t))
#define S(offset) ((int)FIELD(picture, PIC_CODEC + (offset), const int8_t))
#define I(offset) FIELD(picture, PIC_CODEC + (offset), const unsigned)

int hevc_complete(const void *picture) {
	return !U(SHORT_SETS) && !U(LONG_SETS) && !U(SCALING) && !U(SPS_RANGE) && !U(PPS_RANGE);
}

static void put_level(struct bits *b, unsigned depth) {
	unsigned profile = depth ? 2 : 1;
	put(b, 3, 0);
	put(b, 5, profile);
	put(b, 32, 1u << (31 - profile));
	put(b, 4, 9); // progressive, frames only
	put(b, 32, 0);
	put(b, 12, 0);
	put(b, 8, 186);
}

// put_buffering allows all the room there is and no reordering: pictures are taken as
// they are decoded.
static void put_buffering(struct bits *b) {
	put(b, 1, 1);
	put_ue(b, 15);
	put_ue(b, 0);
	put_ue(b, 0);
}

static int video_set(const void *picture, uint8_t *into, int room) {
	struct bits b = {.n = 0};
	put(&b, 4, 0);
	put(&b, 2, 3);
	put(&b, 9, 0);
	put(&b, 1, 1);
	put(&b, 16, 0xffff);
	put_level(&b, U(LUMA_DEPTH));
	put_buffering(&b);
	put(&b, 6, 0);
	put_ue(&b, 0);
	put(&b, 2, 0);
	return finish(&b, (const uint8_t[]){0x40, 1}, 2, into, room);
}

static void put_pcm(struct bits *b, const void *picture) {
	put(b, 1, U(PCM));
	if (!U(PCM)) return;
	put(b, 4, U(PCM_LUMA));
	put(b, 4, U(PCM_CHROMA));
	put_ue(b, U(MIN_PCM));
	put_ue(b, U(DIFF_PCM));
	put(b, 1, U(PCM_NO_FILTER));
}

// hevc_sequence writes the video and the sequence parameter set.
int hevc_sequence(const void *picture, uint8_t *into, int room) {
	struct bits b = {.n = 0};
	int n = video_set(picture, into, room);
	put(&b, 7, 0);
	put(&b, 1, 1);
	put_level(&b, U(LUMA_DEPTH));
	put_ue(&b, 0);
	put_ue(&b, 1);
	put_ue(&b, I(WIDTH));
	put_ue(&b, I(HEIGHT));
	put(&b, 1, 0);
	put_ue(&b, U(LUMA_DEPTH));
	put_ue(&b, U(CHROMA_DEPTH));
	put_ue(&b, U(POC_BITS));
	put_buffering(&b);
	put_ue(&b, U(MIN_CODING));
	put_ue(&b, U(DIFF_CODING));
	put_ue(&b, U(MIN_TRANSFORM));
	put_ue(&b, U(DIFF_TRANSFORM));
	put_ue(&b, U(DEPTH_INTER));
	put_ue(&b, U(DEPTH_INTRA));
	put(&b, 1, 0);
	put(&b, 1, U(ASYMMETRIC));
	put(&b, 1, U(SAO));
	put_pcm(&b, picture);
	put_ue(&b, 0);
	put(&b, 1, U(LONG_TERM));
	if (U(LONG_TERM)) put_ue(&b, 0);
	put(&b, 1, U(TEMPORAL_MVP));
	put(&b, 1, U(STRONG_INTRA));
	put(&b, 2, 0);
	return n + finish(&b, (const uint8_t[]){0x42, 1}, 2, into + n, room - n);
}

static void put_tiles(struct bits *b, const void *picture) {
	if (!U(TILES)) return;
	put_ue(b, U(COLUMNS));
	put_ue(b, U(ROWS));
	put(b, 1, U(UNIFORM));
	for (unsigned i = 0; i < U(COLUMNS) && !U(UNIFORM); i++) put_ue(b,
		FIELD(picture, PIC_CODEC + WIDTHS + 2 * i, const uint16_t));
	for (unsigned i = 0; i < U(ROWS) && !U(UNIFORM); i++) put_ue(b,
		FIELD(picture, PIC_CODEC + HEIGHTS + 2 * i, const uint16_t));
	put(b, 1, U(ACROSS_TILES));
}

static void put_deblocking(struct bits *b, const void *picture) {
	put(b, 1, 1);
	put(b, 1, U(OVERRIDE));
	put(b, 1, U(NO_DEBLOCKING));
	if (U(NO_DEBLOCKING)) return;
	put_se(b, S(BETA));
	put_se(b, S(TC));
}

int hevc_pps(const void *picture, int id, uint8_t *into, int room) {
	struct bits b = {.n = 0};
	put_ue(&b, (unsigned)id);
	put_ue(&b, 0);
	put(&b, 1, U(DEPENDENT));
	put(&b, 1, U(OUTPUT_FLAG));
	put(&b, 3, U(EXTRA_BITS));
	put(&b, 1, U(SIGN_HIDING));
	put(&b, 1, U(CABAC_INIT));
	put_ue(&b, U(ACTIVE_L0));
	put_ue(&b, U(ACTIVE_L1));
	put_se(&b, S(QP));
	put(&b, 1, U(CONSTRAINED));
	put(&b, 1, U(TRANSFORM_SKIP));
	put(&b, 1, U(QP_DELTA));
	if (U(QP_DELTA)) put_ue(&b, U(QP_DELTA_DEPTH));
	put_se(&b, S(CB));
	put_se(&b, S(CR));
	put(&b, 1, U(SLICE_CHROMA_QP));
	put(&b, 1, U(WEIGHTED));
	put(&b, 1, U(BIPRED));
	put(&b, 1, U(BYPASS));
	put(&b, 1, U(TILES));
	put(&b, 1, U(ENTROPY_SYNC));
	put_tiles(&b, picture);
	put(&b, 1, U(ACROSS_SLICES));
	put_deblocking(&b, picture);
	put(&b, 1, 0);
	put(&b, 1, U(LISTS));
	put_ue(&b, U(MERGE));
	put(&b, 1, U(HEADER_EXTENSION));
	put(&b, 1, 0);
	return finish(&b, (const uint8_t[]){0x44, 1}, 2, into, room);
}

// hevc_pps_of_slice reads which set a slice wants: after its header come whether it
// is the picture's first, for random access pictures one more bit, and that.
int hevc_pps_of_slice(const uint8_t *nal, int bytes) {
	int kind = nal[0] >> 1 & 63, at = 16 + 1;
	if (kind >= 16 && kind <= 23) at++;
	return (int)get_ue(nal, bytes, &at);
}
