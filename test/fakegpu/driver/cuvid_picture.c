// Pictures: decoded in software where the stream can be had whole, else made up from
// a fingerprint of the picture's bytes, so that equal input gives equal output.
#include <stdlib.h>
#include <string.h>

#include "cuvid.h"

// keep remembers the buffer that the software decoder decodes into. For pictures that
// are missing, the H.264 decoder asks before and the HEVC decoder after.
static int keep(AVCodecContext *c, AVFrame *frame, int flags) {
	struct decoder *d = c->opaque;
	int error = avcodec_default_get_buffer2(c, frame, flags);
	if (error < 0 || (d->last && d->codec == HEVC)) return error;
	av_frame_free(&d->last);
	d->last = av_frame_clone(frame);
	return 0;
}

void open_software(struct decoder *d) {
	static const enum AVCodecID ids[CODECS] = {[H264] = AV_CODEC_ID_H264, [HEVC] = AV_CODEC_ID_HEVC,
		[VP8] = AV_CODEC_ID_VP8, [VP9] = AV_CODEC_ID_VP9};
	const AVCodec *codec = d->chroma == 1 && ids[d->codec] ? avcodec_find_decoder(ids[d->codec]) : NULL;
	d->software = codec ? avcodec_alloc_context3(codec) : NULL;
	if (!d->software) return;
	d->software->opaque = d;
	d->software->get_buffer2 = keep;
	d->software->thread_count = 1;
	d->software->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
	if (avcodec_open2(d->software, codec, NULL) < 0) avcodec_free_context(&d->software);
}

void close_software(struct decoder *d) {
	avcodec_free_context(&d->software);
	av_frame_free(&d->last);
	for (int i = 0; i < SURFACES; i++) av_frame_free(&d->surface[i]);
}

static uint64_t fingerprint(const uint8_t *data, unsigned bytes) {
	uint64_t h = 14695981039346656037ull;
	for (unsigned i = 0; i < bytes; i++) h = (h ^ data[i]) * 1099511628211ull;
	return h;
}

// changed notes a parameter set and copies it out when it is another than before.
static int changed(uint8_t *kept, int *kept_bytes, const uint8_t *set, int bytes, uint8_t *into) {
	if (bytes == *kept_bytes && !memcmp(set, kept, (size_t)bytes)) return 0;
	memcpy(kept, set, (size_t)bytes);
	memcpy(into, set, (size_t)bytes);
	*kept_bytes = bytes;
	return bytes;
}

// headers puts the parameter sets before the slices when they are not those of the
// picture before.
static int headers(struct decoder *d, const void *picture, uint8_t *into) {
	uint8_t set[512];
	const uint8_t *nal = FIELD(picture, PIC_DATA, const uint8_t *const) + 3;
	int bytes = (int)FIELD(picture, PIC_BYTES, const unsigned) - 3;
	if (d->codec == H264) d->mbaff |= FIELD(picture, PIC_CODEC + 72, const int);
	int size = d->codec == H264 ? h264_sps(picture, d->mbaff, set, sizeof d->sps) :
		hevc_sequence(picture, set, sizeof d->sps);
	int n = changed(d->sps, &d->sps_bytes, set, size, into);
	if (n) d->pps_bytes = 0;
	size = d->codec == H264 ? h264_pps(picture, h264_pps_of_slice(nal, bytes), set, sizeof set)
	                        : hevc_pps(picture, hevc_pps_of_slice(nal, bytes), set, sizeof set);
	return n + changed(d->pps, &d->pps_bytes, set, size, into + n);
}

static void feed(struct decoder *d, const void *picture) {
	const uint8_t *data = FIELD(picture, PIC_DATA, const uint8_t *const);
	int bytes = (int)FIELD(picture, PIC_BYTES, const unsigned), n = 0;
	AVPacket *packet = av_packet_alloc();
	AVFrame *shown = av_frame_alloc();
	if (packet && shown && av_new_packet(packet, bytes + 1024) >= 0) {
		if (d->codec == H264 || d->codec == HEVC) n = headers(d, picture, packet->data);
		memcpy(packet->data + n, data, (size_t)bytes);
		av_shrink_packet(packet, n + bytes);
		avcodec_send_packet(d->software, packet);
		while (avcodec_receive_frame(d->software, shown) >= 0) av_frame_unref(shown);
	}
	av_packet_free(&packet);
	av_frame_free(&shown);
}

// drawable says that a picture is what the stream's parameters promised.
static int drawable(const struct decoder *d, const AVFrame *f) {
	switch (f->format) {
	case AV_PIX_FMT_YUV420P: case AV_PIX_FMT_YUVJ420P: return d->bits == 8;
	case AV_PIX_FMT_YUV420P10: return d->bits == 10;
	case AV_PIX_FMT_YUV420P12: return d->bits == 12;
	}
	return 0;
}

void decode_picture(struct decoder *d, const void *picture) {
	int index = FIELD(picture, PIC_INDEX, const int);
	d->fingerprint[index] = fingerprint(FIELD(picture, PIC_DATA, const uint8_t *const),
		FIELD(picture, PIC_BYTES, const unsigned));
	av_frame_free(&d->last);
	if (d->software && (d->codec != HEVC || hevc_complete(picture))) feed(d, picture);
	// The second field of a picture goes where the first one went.
	if (!d->last && FIELD(picture, PIC_SECOND_FIELD, const int)) return;
	av_frame_free(&d->surface[index]);
	d->surface[index] = d->last;
	d->last = NULL;
	if (d->surface[index] && !drawable(d, d->surface[index])) av_frame_free(&d->surface[index]);
	if (!d->surface[index]) count(d->slot, PICTURES_MADE_UP, 1);
}

// surface_rows is how many rows all planes of a surface have: those of U and V follow
// at full size in 4:4:4, else together at half the height.
int surface_rows(const struct decoder *d) { return d->chroma == 3 ? d->height * 3 : d->height * 3 / 2; }

static int even(int n) { return (n + 1) & ~1; }

static void make_up(struct decoder *d, uint64_t seed, uint8_t *to, int pitch) {
	for (int y = 0; y < surface_rows(d); y++)
		for (int x = 0; x < d->width; x++) {
			unsigned v = y < d->height ? 16 + (unsigned)(x + y + (int)(seed & 127)) % 220 :
				96 + (unsigned)(seed >> (8 + x % 2)) % 64;
			if (d->bits == 8) to[(size_t)y * (size_t)pitch + (size_t)x] = (uint8_t)v;
			else ((uint16_t *)(to + (size_t)y * (size_t)pitch))[x] = (uint16_t)(v << 8);
		}
}

// within keeps a coordinate inside the decoded picture, whose sides may be odd.
static int within(int at, int side) { return at < side ? at : side - 1; }

// draw_deep shifts samples to the top of 16 bits, as P010 and P016 have them.
static void draw_deep(struct decoder *d, const AVFrame *f, uint8_t *to, int pitch, int width, int height) {
	int shift = 16 - d->bits;
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			FIELD(to, (size_t)y * (size_t)pitch + 2 * (size_t)x, uint16_t) =
				(uint16_t)(FIELD(f->data[0], within(y, f->height) * f->linesize[0] + 2 * within(x, f->width), uint16_t) << shift);
	to += (size_t)pitch * (size_t)d->height;
	for (int y = 0; y < height / 2; y++)
		for (int x = 0; x < width; x++)
			FIELD(to, (size_t)y * (size_t)pitch + 2 * (size_t)x, uint16_t) =
				(uint16_t)(FIELD(f->data[1 + x % 2], y * f->linesize[1 + x % 2] + x / 2 * 2, uint16_t) << shift);
}

static void draw(struct decoder *d, const AVFrame *f, uint8_t *to, int pitch, int width, int height) {
	for (int y = 0; y < height; y++) {
		const uint8_t *from = f->data[0] + within(y, f->height) * f->linesize[0];
		for (int x = 0; x < width; x++) to[(size_t)y * (size_t)pitch + (size_t)x] = from[within(x, f->width)];
	}
	to += (size_t)pitch * (size_t)d->height;
	for (int y = 0; y < height / 2; y++)
		for (int x = 0; x < width; x++)
			to[(size_t)y * (size_t)pitch + (size_t)x] = f->data[1 + x % 2][y * f->linesize[1 + x % 2] + x / 2];
}

// draw_surface writes a surface as NV12, or as P016 when it is deeper than 8 bits.
void draw_surface(struct decoder *d, int index, uint8_t *to, int pitch) {
	const AVFrame *f = d->surface[index];
	if (!f) {
		make_up(d, d->fingerprint[index], to, pitch);
		return;
	}
	int width = even(f->width < d->width ? f->width : d->width),
		height = even(f->height < d->height ? f->height : d->height);
	if (d->bits == 8) draw(d, f, to, pitch, width, height);
	else draw_deep(d, f, to, pitch, width, height);
}
