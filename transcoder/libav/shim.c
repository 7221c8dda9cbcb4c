#include "shim.h"

#include <malloc.h>
#include <pthread.h>
#include <string.h>

#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

void tutti_frame_info(const AVFrame *f, TuttiFrameInfo *out)
{
	out->pts = f->pts;
	out->best_effort = f->best_effort_timestamp;
	out->duration = f->duration;
	out->width = f->width;
	out->height = f->height;
	out->format = f->format;
	out->key = !!(f->flags & AV_FRAME_FLAG_KEY);
	out->corrupt = !!(f->flags & AV_FRAME_FLAG_CORRUPT) || f->decode_error_flags;
	// Cropping that libav leaves to the caller: of frames on a device it does the right
	// and the bottom alone.
	out->cut = f->crop_left || f->crop_top;
	out->range = f->color_range;
	// The full-range pixel formats say in their name what others say in a field.
	if (f->format == AV_PIX_FMT_YUVJ420P || f->format == AV_PIX_FMT_YUVJ422P ||
	    f->format == AV_PIX_FMT_YUVJ444P || f->format == AV_PIX_FMT_YUVJ440P)
		out->range = AVCOL_RANGE_JPEG;
	out->primaries = f->color_primaries;
	out->transfer = f->color_trc;
	out->space = f->colorspace;
	out->chroma = f->chroma_location;
	out->sar_num = f->sample_aspect_ratio.num;
	out->sar_den = f->sample_aspect_ratio.den;
}

void tutti_frame_prepare(AVFrame *f, int64_t pts, int64_t duration, int pict_type)
{
	f->pts = pts;
	f->duration = duration;
	f->pict_type = pict_type;
	f->flags &= ~(AV_FRAME_FLAG_INTERLACED | AV_FRAME_FLAG_TOP_FIELD_FIRST | AV_FRAME_FLAG_KEY);
}

void tutti_frame_strip(AVFrame *f)
{
	av_frame_remove_side_data(f, AV_FRAME_DATA_A53_CC);
	av_frame_remove_side_data(f, AV_FRAME_DATA_AFD);
	av_frame_remove_side_data(f, AV_FRAME_DATA_SEI_UNREGISTERED);
}

int tutti_is_yuv420p(int format)
{
	return format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_YUVJ420P;
}

// The plain name of a full-range format: the range is set apart from it, so that
// swscale does not convert it.
static int plain(int format)
{
	switch (format) {
	case AV_PIX_FMT_YUVJ420P: return AV_PIX_FMT_YUV420P;
	case AV_PIX_FMT_YUVJ422P: return AV_PIX_FMT_YUV422P;
	case AV_PIX_FMT_YUVJ444P: return AV_PIX_FMT_YUV444P;
	case AV_PIX_FMT_YUVJ440P: return AV_PIX_FMT_YUV440P;
	}
	return format;
}

struct SwsContext *tutti_scaler_new(const AVFrame *src, int dst_w, int dst_h, int threads)
{
	struct SwsContext *s = sws_alloc_context();
	if (!s)
		return NULL;
	av_opt_set_int(s, "srcw", src->width, 0);
	av_opt_set_int(s, "srch", src->height, 0);
	av_opt_set_int(s, "src_format", plain(src->format), 0);
	av_opt_set_int(s, "dstw", dst_w, 0);
	av_opt_set_int(s, "dsth", dst_h, 0);
	av_opt_set_int(s, "dst_format", AV_PIX_FMT_YUV420P, 0);
	av_opt_set_int(s, "sws_flags", SWS_BICUBIC, 0);
	av_opt_set_int(s, "threads", threads, 0);
	if (sws_init_context(s, NULL, NULL) < 0) {
		sws_freeContext(s);
		return NULL;
	}
	// From YUV to YUV both sides get the same range and matrix: nothing is
	// converted. RGB sources are converted to limited range by default.
	const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(src->format);
	if (d && !(d->flags & AV_PIX_FMT_FLAG_RGB)) {
		const int *m = sws_getCoefficients(SWS_CS_DEFAULT);
		sws_setColorspaceDetails(s, m, 0, m, 0, 0, 1 << 16, 1 << 16);
	}
	return s;
}

void tutti_scaler_free(struct SwsContext *s) { sws_freeContext(s); }

int tutti_scale(struct SwsContext *s, const AVFrame *src, AVFrame *dst)
{
	int ret = sws_scale_frame(s, dst, src);
	if (ret < 0)
		return ret;
	av_frame_side_data_free(&dst->side_data, &dst->nb_side_data);
	return av_frame_copy_props(dst, src);
}

int tutti_reorder(const AVCodecContext *c) { return c->has_b_frames; }

int tutti_captions(const AVFrame *f)
{
	const AVFrameSideData *d = av_frame_get_side_data(f, AV_FRAME_DATA_A53_CC);
	return d ? (int)d->size : 0;
}

// Giving memory back early, and few arenas, are glibc's; other C libraries do as they
// do.
#ifdef __GLIBC__
void tutti_trim(void) { malloc_trim(0); }
static void few_arenas(void) { mallopt(M_ARENA_MAX, 2); }
#else
void tutti_trim(void) {}
static void few_arenas(void) {}
#endif

// The log: libav's texts hold bytes of the media, so lines are bounded in length
// and in number, and they never call into Go from a codec's thread.
#define LOG_LINES 64
#define LOG_WIDTH 240

static struct {
	pthread_mutex_t lock;
	int first, count;
	char line[LOG_LINES][LOG_WIDTH];
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

// What this thread's present call into libav complains about goes here, too.
static __thread TuttiCapture *capturing;

static int of_device(const char *text)
{
	static const char *const words[] = {"CUDA_ERROR_", " failed", "Cannot load", "nvenc", "NVENC", "cuvid"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(text, words[i]))
			return 1;
	return 0;
}

// Lines are kept whole or not at all, each with its end.
static void capture_line(const char *text)
{
	TuttiWords *to = of_device(text) ? &capturing->device : &capturing->rest;
	size_t n = strlen(text);
	if (n + 1 > sizeof to->text - to->length)
		return;
	memcpy(to->text + to->length, text, n);
	to->length += n;
	to->text[to->length++] = '\n';
}

// libav says what a driver answered in pieces of a line, which a thread collects here.
static __thread struct {
	size_t length;
	int at_begin;
	char text[LOG_WIDTH];
} line = {.at_begin = 1};

static void end_line(void)
{
	if (line.length == 0)
		return;
	line.text[line.length] = 0;
	line.length = 0;
	if (capturing)
		capture_line(line.text);
	pthread_mutex_lock(&ring.lock);
	if (ring.count < LOG_LINES) {
		memcpy(ring.line[(ring.first + ring.count) % LOG_LINES], line.text, sizeof line.text);
		ring.count++;
	}
	pthread_mutex_unlock(&ring.lock);
}

void tutti_capture(TuttiCapture *to)
{
	end_line();
	line.at_begin = 1;
	if (to)
		to->device.length = to->rest.length = 0;
	capturing = to;
}

static void log_line(void *avcl, int level, const char *fmt, va_list vl)
{
	char piece[LOG_WIDTH];
	if (level < 0 || (level & 0xff) > av_log_get_level())
		return;
	av_log_format_line2(avcl, level & 0xff, fmt, vl, piece, sizeof piece, &line.at_begin);
	size_t n = strcspn(piece, "\n"), room = sizeof line.text - 1 - line.length;
	if (n > room)
		n = room;
	memcpy(line.text + line.length, piece, n);
	line.length += n;
	if (line.at_begin)
		end_line();
}

void tutti_usual_channels(AVFrame *f)
{
	if (f->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
		av_channel_layout_default(&f->ch_layout, f->ch_layout.nb_channels);
}

// Comparisons with what is no number do not hold.
#define CLIPPED(v) ((v) >= -1 && (v) <= 1 ? (v) : (v) > 1 ? 1 : (v) < -1 ? -1 : 0)

int tutti_clip_samples(AVFrame *f)
{
	enum AVSampleFormat packed = av_get_packed_sample_fmt(f->format);
	int planes = av_sample_fmt_is_planar(f->format) ? f->ch_layout.nb_channels : 1;
	int each = f->nb_samples * (planes > 1 ? 1 : f->ch_layout.nb_channels);
	int err;

	if (packed != AV_SAMPLE_FMT_FLT && packed != AV_SAMPLE_FMT_DBL)
		return 0;
	if ((err = av_frame_make_writable(f)) < 0)
		return err;
	for (int i = 0; i < planes; i++) {
		float *narrow = (float *)f->extended_data[i];
		double *wide = (double *)f->extended_data[i];

		for (int k = 0; k < each; k++) {
			if (packed == AV_SAMPLE_FMT_FLT)
				narrow[k] = CLIPPED(narrow[k]);
			else
				wide[k] = CLIPPED(wide[k]);
		}
	}
	return 0;
}

static void setup(void)
{
	few_arenas();
	av_log_set_level(AV_LOG_ERROR);
	av_log_set_callback(log_line);
}

void tutti_process_setup(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, setup);
}

int tutti_log_next(char *buf, int size)
{
	int n = 0;
	pthread_mutex_lock(&ring.lock);
	if (ring.count > 0) {
		n = (int)strnlen(ring.line[ring.first], LOG_WIDTH);
		if (n > size)
			n = size;
		memcpy(buf, ring.line[ring.first], n);
		ring.first = (ring.first + 1) % LOG_LINES;
		ring.count--;
	}
	pthread_mutex_unlock(&ring.lock);
	return n;
}
