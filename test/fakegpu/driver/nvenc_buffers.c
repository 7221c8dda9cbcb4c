// Pictures in, bitstreams out, and the table of functions through which all of it
// is called.
#include <stdlib.h>
#include <string.h>

#include "nvenc.h"

NVENCSTATUS open_session(const void *parameters, struct session **out);
NVENCSTATUS close_session(struct session *s);
NVENCSTATUS codec_count(struct session *s, uint32_t *n);
NVENCSTATUS codecs(struct session *s, struct guid *list, uint32_t room, uint32_t *n);
NVENCSTATUS capability(struct session *s, struct guid codec, const void *question, int *answer);
NVENCSTATUS preset(struct session *s, struct guid codec, struct guid name, int tuning, void *config);
const char *last_error(struct session *s);

static int known_format(int format) { return format == NV12 || format == YV12 || format == IYUV; }

static NVENCSTATUS create_input(struct session *s, void *buffer) {
	struct input in = {.width = FIELD(buffer, 4, int), .height = FIELD(buffer, 8, int), .format = FIELD(buffer, 16, int),
		.owned = 1};
	if (!known_format(in.format)) return fails(s, NVENC_UNSUPPORTED_PARAM, "buffer format not supported");
	in.pitch = (in.width + 511) / 512 * 512;
	in.data = calloc((size_t)in.pitch * (size_t)(in.height + 1), 2);
	struct input *kept = malloc(sizeof in);
	*kept = in;
	FIELD(buffer, 24, struct input *) = kept;
	return NVENC_OK;
}

static NVENCSTATUS destroy_input(struct session *s, struct input *in) {
	(void)s;
	if (in && in->owned) free(in->data);
	free(in);
	return NVENC_OK;
}

static NVENCSTATUS lock_input(struct session *s, void *lock) {
	struct input *in = FIELD(lock, 8, struct input *);
	if (!in) return fails(s, NVENC_INVALID_POINTER, "no input buffer");
	FIELD(lock, 16, uint8_t *) = in->data;
	FIELD(lock, 24, int) = in->pitch;
	count(s->slot, UPLOADED_BYTES, (uint64_t)in->width * (uint64_t)in->height * 3 / 2);
	return NVENC_OK;
}

static NVENCSTATUS unlock(struct session *s, void *buffer) {
	(void)s, (void)buffer;
	return NVENC_OK;
}

static NVENCSTATUS register_resource(struct session *s, void *resource) {
	struct input in = {
		.width = FIELD(resource, 8, int), .height = FIELD(resource, 12, int), .pitch = FIELD(resource, 16, int),
		.data = FIELD(resource, 24, uint8_t *), .format = FIELD(resource, 40, int),
	};
	if (!in.data || in.pitch < in.width) return fails(s, NVENC_INVALID_PARAM, "no such memory");
	if (!known_format(in.format)) return fails(s, NVENC_UNSUPPORTED_PARAM, "buffer format not supported");
	struct input *kept = malloc(sizeof in);
	*kept = in;
	FIELD(resource, 32, struct input *) = kept;
	return NVENC_OK;
}

static NVENCSTATUS map_resource(struct session *s, void *map) {
	struct input *in = FIELD(map, 16, struct input *);
	if (!in) return fails(s, NVENC_NOT_REGISTERED, "not registered");
	FIELD(map, 24, struct input *) = in;
	FIELD(map, 32, int) = in->format;
	return NVENC_OK;
}

static NVENCSTATUS create_output(struct session *s, void *buffer) {
	(void)s;
	struct output *out = calloc(1, sizeof *out);
	FIELD(buffer, 16, struct output *) = out;
	return out ? NVENC_OK : NVENC_OUT_OF_MEMORY;
}

static NVENCSTATUS destroy_output(struct session *s, struct output *out) {
	(void)s;
	if (out) free(out->data);
	free(out);
	return NVENC_OK;
}

static NVENCSTATUS lock_output(struct session *s, void *lock) {
	struct output *out = FIELD(lock, 8, struct output *);
	if (!out || !out->bytes) return fails(s, NVENC_INVALID_PARAM, "nothing was encoded into this buffer");
	FIELD(lock, 24, uint32_t) = out->frame;
	FIELD(lock, 36, int) = out->bytes;
	FIELD(lock, 40, uint64_t) = out->time;
	FIELD(lock, 48, uint64_t) = out->duration;
	FIELD(lock, 56, uint8_t *) = out->data;
	FIELD(lock, 64, int) = out->kind;
	FIELD(lock, 68, int) = 1;
	FIELD(lock, 72, int) = out->quantizer;
	return NVENC_OK;
}

static NVENCSTATUS encode_picture(struct session *s, const void *picture) {
	enum { FLAGS = 16, INPUT = 40, OUTPUT = 48 };
	struct input *in = FIELD(picture, INPUT, struct input *const);
	struct output *out = FIELD(picture, OUTPUT, struct output *const);
	if (FIELD(picture, FLAGS, const int) & END_OF_STREAM) return NVENC_OK;
	if (!started(s)) return fails(s, NVENC_NOT_INITIALIZED, "not initialized");
	if (!in || !out) return fails(s, NVENC_INVALID_PARAM, "no picture");
	int error = usable_context(s->context, "encode");
	if (error) return fails(s, error == 999 ? NVENC_DEVICE_GONE : NVENC_GENERIC, "the device has failed");
	NVENCSTATUS status = encode(s, in, out, picture);
	if (!status) count(s->slot, PICTURES_ENCODED, 1);
	return status;
}

static NVENCSTATUS sequence(struct session *s, void *payload) {
	int n = sequence_headers(s, FIELD(payload, 16, uint8_t *), FIELD(payload, 4, int));
	if (n < 0) return fails(s, NVENC_NOT_INITIALIZED, "not initialized");
	*FIELD(payload, 24, uint32_t *) = (uint32_t)n;
	return NVENC_OK;
}

static NVENCSTATUS streams(struct session *s, void *in, void *out) {
	(void)s, (void)in, (void)out;
	return NVENC_OK;
}

static NVENCSTATUS unimplemented(void) { return NVENC_UNIMPLEMENTED; }

API NVENCSTATUS NvEncodeAPIGetMaxSupportedVersion(uint32_t *version);

API NVENCSTATUS NvEncodeAPICreateInstance(void *table) {
	static const struct { int offset; void *function; } functions[] = {
		{16, codec_count}, {40, codecs}, {64, capability}, {96, start_encoder}, {104, create_input}, {112, destroy_input},
		{120, create_output}, {128, destroy_output}, {136, encode_picture}, {144, lock_output}, {152, unlock},
		{160, lock_input},
		{168, unlock}, {184, sequence}, {208, map_resource}, {216, unlock}, {224, close_session}, {240, open_session},
		{248, register_resource}, {256, destroy_input}, {264, change_encoder}, {304, last_error}, {312, streams},
		{320, preset},
	};
	uint32_t version = FIELD(table, 0, uint32_t), newest;
	NvEncodeAPIGetMaxSupportedVersion(&newest);
	if (((version & 0xff) << 4 | (version >> 24 & 0xf)) > newest) return NVENC_INVALID_VERSION;
	for (int offset = 8; offset <= 336; offset += 8) FIELD(table, offset, void *) = (void *)unimplemented;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		FIELD(table, functions[i].offset, void *) = functions[i].function;
	return NVENC_OK;
}
