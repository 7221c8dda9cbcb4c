// Encoding: x264 does it, on the picture that lies in device memory.
#include <stdlib.h>
#include <string.h>

#include "nvenc.h"

enum { LEAST_WIDTH = 145, LEAST_HEIGHT = 49, HEVC_LEAST_WIDTH = 129, HEVC_LEAST_HEIGHT = 33, MOST = 4096,
	SURFACES_KEPT = 12 };

NVENCSTATUS start_encoder(struct session *s, const void *parameters) {
	if (started(s)) return fails(s, NVENC_INVALID_PARAM, "the encoder is initialized already");
	NVENCSTATUS status = settings_of(s, parameters);
	if (status) return status;
	int64_t width = number_of("encoder.least.width", s->hevc ? HEVC_LEAST_WIDTH : LEAST_WIDTH);
	int64_t height = number_of("encoder.least.height", s->hevc ? HEVC_LEAST_HEIGHT : LEAST_HEIGHT);
	if (s->width < width || s->height < height)
		return fails(s, NVENC_INVALID_PARAM, "Frame Dimension less than the minimum supported value.");
	if (s->width > MOST || s->height > MOST)
		return fails(s, NVENC_INVALID_PARAM, "Frame Dimension exceeds the maximum supported value.");
	uint64_t weight = (uint64_t)s->width * (uint64_t)s->height * 3 / 2 * SURFACES_KEPT;
	if (reserve(s->slot, weight)) return fails(s, NVENC_OUT_OF_MEMORY, "out of memory");
	s->weight = weight;
	if (s->hevc) return NVENC_OK;
	s->encoder = x264_encoder_open(&s->settings);
	return s->encoder ? NVENC_OK : fails(s, NVENC_UNSUPPORTED_PARAM,
		"EncodeSession cannot be initialized with these parameters.");
}

// change_encoder takes new rates as the real one does; another size needs another
// encoder, which begins with an IDR.
NVENCSTATUS change_encoder(struct session *s, const void *parameters) {
	enum { INITIALIZE = 8, INITIALIZE_BYTES = 1808, CONFIG = 88, FORCE = 2 };
	const uint8_t *initialize = (const uint8_t *)parameters + INITIALIZE;
	if (!started(s)) return fails(s, NVENC_NOT_INITIALIZED, "not initialized");
	count(s->slot, ENCODERS_RECONFIGURED, 1);
	s->force_next = FIELD(initialize, INITIALIZE_BYTES, const uint32_t) & FORCE;
	if (!FIELD(initialize, CONFIG, const void *const)) return NVENC_OK;
	int width = s->width, height = s->height;
	NVENCSTATUS status = settings_of(s, initialize);
	if (status || s->hevc) return status;
	if (s->width == width && s->height == height)
		return x264_encoder_reconfig(s->encoder, &s->settings) < 0 ? fails(s, NVENC_INVALID_PARAM, "rates refused") :
			NVENC_OK;
	x264_encoder_close(s->encoder);
	s->encoder = x264_encoder_open(&s->settings);
	return s->encoder ? NVENC_OK : fails(s, NVENC_INVALID_PARAM, "size refused");
}

// signature recognizes the message in which x264 signs its work: NVENC does not.
static int signature(const x264_nal_t *n) {
	static const uint8_t id[] = {0xdc, 0x45, 0xe9, 0xbd};
	for (int i = 0; n->i_type == NAL_SEI && i + 4 < n->i_payload && i < 32; i++)
		if (!memcmp(n->p_payload + i, id, 4)) return 1;
	return 0;
}

static int gather(const x264_nal_t *nals, int n, uint8_t **into, int *room) {
	int bytes = 0;
	for (int i = 0; i < n; i++) {
		if (signature(&nals[i])) continue;
		if (bytes + nals[i].i_payload > *room) {
			*room = 2 * (bytes + nals[i].i_payload);
			*into = realloc(*into, (size_t)*room);
		}
		memcpy(*into + bytes, nals[i].p_payload, (size_t)nals[i].i_payload);
		bytes += nals[i].i_payload;
	}
	return bytes;
}

int sequence_headers(struct session *s, uint8_t *into, int room) {
	x264_nal_t *nals;
	int n, bytes = 0;
	if (s->hevc) return started(s) ? hevc_headers(s, into, room) : -1;
	if (!s->encoder || x264_encoder_headers(s->encoder, &nals, &n) < 0) return -1;
	for (int i = 0; i < n; i++) {
		if (nals[i].i_type == NAL_SEI || bytes + nals[i].i_payload > room) continue;
		memcpy(into + bytes, nals[i].p_payload, (size_t)nals[i].i_payload);
		bytes += nals[i].i_payload;
	}
	return bytes;
}

static void lay_out(x264_picture_t *p, const struct input *in) {
	uint8_t *chroma = in->data + (size_t)in->pitch * (size_t)in->height;
	p->img.plane[0] = in->data;
	p->img.i_stride[0] = in->pitch;
	p->img.plane[1] = chroma;
	p->img.i_plane = in->format == NV12 ? 2 : 3;
	p->img.i_csp = in->format == NV12 ? X264_CSP_NV12 : in->format == YV12 ? X264_CSP_YV12 : X264_CSP_I420;
	p->img.i_stride[1] = p->img.i_stride[2] = in->format == NV12 ? in->pitch : in->pitch / 2;
	p->img.plane[2] = chroma + (size_t)in->pitch / 2 * (size_t)(in->height / 2);
}

// add_messages passes on what is to travel in the stream, such as captions: size,
// type and payload of each.
static void add_messages(x264_picture_t *p, const void *picture) {
	enum { MESSAGES = 120, MESSAGE_COUNT = 116, ENTRY = 16 };
	const uint8_t *list = FIELD(picture, MESSAGES, const uint8_t *const);
	int n = list ? FIELD(picture, MESSAGE_COUNT, const int) : 0;
	if (n <= 0) return;
	p->extra_sei.payloads = calloc((size_t)n, sizeof *p->extra_sei.payloads);
	p->extra_sei.num_payloads = n;
	for (int i = 0; i < n; i++, list += ENTRY)
		p->extra_sei.payloads[i] = (x264_sei_payload_t){
			.payload_size = FIELD(list, 0, const int), .payload_type = FIELD(list, 4, const int),
			.payload = FIELD(list, 8, uint8_t *const),
		};
}

static NVENCSTATUS h264_encode(struct session *s, const struct input *in, struct output *out, const void *picture,
	int type) {
	x264_picture_t from, to;
	x264_nal_t *nals;
	int n;
	x264_picture_init(&from);
	lay_out(&from, in);
	add_messages(&from, picture);
	from.i_pts = s->pictures;
	from.i_type = type;
	int bytes = x264_encoder_encode(s->encoder, &nals, &n, &from, &to);
	free(from.extra_sei.payloads);
	if (bytes <= 0) return fails(s, NVENC_GENERIC, "the picture was not encoded");
	out->bytes = gather(nals, n, &out->data, &out->room);
	out->kind = to.b_keyframe ? 3 : to.i_type == X264_TYPE_I ? 2 : 0;
	out->quantizer = to.i_qpplus1 - 1;
	return NVENC_OK;
}

NVENCSTATUS encode(struct session *s, const struct input *in, struct output *out, const void *picture) {
	enum { FLAGS = 16, FRAME = 20, TIME = 24, DURATION = 32 };
	int flags = FIELD(picture, FLAGS, const int), idr = flags & FORCE_IDR || s->force_next;
	if (in->width < s->width || in->height < s->height) return fails(s, NVENC_INVALID_PARAM,
		"the picture is smaller than the encoder");
	NVENCSTATUS status = s->hevc ? hevc_encode(s, in, out, idr || !s->pictures || (int)s->since + 1 >= s->gop)
	                             : h264_encode(s, in, out, picture, idr ? X264_TYPE_IDR : flags & FORCE_INTRA ?
	                             	X264_TYPE_I : X264_TYPE_AUTO);
	s->pictures++;
	s->force_next = 0;
	out->frame = FIELD(picture, FRAME, const uint32_t);
	out->time = FIELD(picture, TIME, const uint64_t);
	out->duration = FIELD(picture, DURATION, const uint64_t);
	return status;
}
