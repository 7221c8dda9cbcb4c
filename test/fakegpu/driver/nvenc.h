// The encoder interface, version 12.1, by offsets, and what the encoder's files share.
#ifndef FAKEGPU_NVENC_H
#define FAKEGPU_NVENC_H

#include <stdint.h>

#include <x264.h>

#include "core.h"

#define API __attribute__((visibility("default")))
#define FIELD(base, offset, type) (*(type *)((uint8_t *)(base) + (offset)))

typedef int NVENCSTATUS;

enum {
	NVENC_OK = 0, NVENC_UNSUPPORTED_DEVICE = 2, NVENC_INVALID_DEVICE = 4, NVENC_DEVICE_GONE = 5, NVENC_INVALID_POINTER = 6,
	NVENC_INVALID_PARAM = 8, NVENC_OUT_OF_MEMORY = 10, NVENC_NOT_INITIALIZED = 11, NVENC_UNSUPPORTED_PARAM = 12,
	NVENC_INVALID_VERSION = 15, NVENC_GENERIC = 20, NVENC_UNIMPLEMENTED = 22, NVENC_NOT_REGISTERED = 24,
};

enum { NV12 = 0x1, YV12 = 0x10, IYUV = 0x100 };
enum { FORCE_INTRA = 1, FORCE_IDR = 2, END_OF_STREAM = 8 };

// A GUID is compared as the bytes it is stored as.
struct guid { uint8_t bytes[16]; };

extern const struct guid guid_h264, guid_hevc;

// A picture that can be encoded, in device memory or in the encoder's own.
struct input { uint8_t *data; int width, height, pitch, format, owned; };

// An encoded picture.
struct output {
	uint8_t *data;
	int bytes, room, kind, quantizer;
	uint32_t frame;
	uint64_t time, duration;
};

struct session {
	struct context *context;
	int slot, width, height, repeat, hevc, gop;
	unsigned since;
	uint64_t weight;
	x264_t *encoder;
	x264_param_t settings;
	int64_t pictures;
	int force_next;
	char error[160];
};

// nvenc_encode.c
NVENCSTATUS start_encoder(struct session *s, const void *parameters);
NVENCSTATUS change_encoder(struct session *s, const void *parameters);
NVENCSTATUS encode(struct session *s, const struct input *in, struct output *out, const void *picture);
int sequence_headers(struct session *s, uint8_t *into, int room);

// nvenc_hevc.c
int hevc_headers(const struct session *s, uint8_t *into, int room);
NVENCSTATUS hevc_encode(struct session *s, const struct input *in, struct output *out, int idr);

// nvenc_settings.c
NVENCSTATUS settings_of(struct session *s, const void *parameters);

// nvenc_session.c
int started(const struct session *s);
NVENCSTATUS fails(struct session *s, NVENCSTATUS status, const char *why);

#endif
