// The decoder interface by offsets, and what the decoder's files share.
#ifndef FAKEGPU_CUVID_H
#define FAKEGPU_CUVID_H

#include <libavcodec/avcodec.h>

#include "core.h"
#include "cuda.h"

enum { SURFACES = 32 };
enum codec { MPEG1, MPEG2, MPEG4, VC1, H264, JPEG, HEVC = 8, VP8, VP9, AV1, CODECS };

// FIELD reads a member of a structure that the caller laid out.
#define FIELD(base, offset, type) (*(type *)((uint8_t *)(base) + (offset)))

// Offsets in the parameters of a picture.
enum {
	PIC_WIDTH_MBS = 0, PIC_HEIGHT_MBS = 4, PIC_INDEX = 8, PIC_SECOND_FIELD = 20, PIC_BYTES = 24, PIC_DATA = 32,
	PIC_SLICES = 40, PIC_OFFSETS = 48, PIC_CODEC = 184,
};

// A decoder. The software decoder within shows where it puts each picture by asking
// for the buffer; last is the buffer of the picture at hand.
struct decoder {
	int slot, codec, bits, width, height, surfaces, outputs, mapped, mbaff, chroma;
	int64_t asked;
	uint64_t weight;
	AVCodecContext *software;
	AVFrame *last, *surface[SURFACES];
	uint64_t fingerprint[SURFACES];
	uint8_t sps[256], pps[512];
	int sps_bytes, pps_bytes;
};

// cuvid_picture.c
void open_software(struct decoder *d);
void close_software(struct decoder *d);
void decode_picture(struct decoder *d, const void *picture);
void draw_surface(struct decoder *d, int index, uint8_t *to, int pitch);
int surface_rows(const struct decoder *d);

// cuvid_h264.c, cuvid_hevc.c: the parameter sets that the driver was told of instead of
// shown. They return how many bytes, start codes included.
int h264_sps(const void *picture, int mbaff, uint8_t *into, int room);
int h264_pps(const void *picture, int id, uint8_t *into, int room);
int h264_pps_of_slice(const uint8_t *nal, int bytes);
int hevc_complete(const void *picture);
int hevc_sequence(const void *picture, uint8_t *into, int room);
int hevc_pps(const void *picture, int id, uint8_t *into, int room);
int hevc_pps_of_slice(const uint8_t *nal, int bytes);

#endif
