#include "shimgpu.h"

#include <string.h>

#include <libavutil/hwcontext.h>

static enum AVPixelFormat pick_cuda(AVCodecContext *c, const enum AVPixelFormat *offered)
{
	TuttiPick *pick = c->opaque;
	for (; *offered != AV_PIX_FMT_NONE; offered++)
		if (*offered == AV_PIX_FMT_CUDA) {
			pick->made++;
			return AV_PIX_FMT_CUDA;
		}
	// Either libav has no way for this kind of picture, or it has just tried and
	// asks again without.
	pick->refused++;
	return AV_PIX_FMT_NONE;
}

void tutti_pick_cuda(AVCodecContext *c, TuttiPick *pick)
{
	c->opaque = pick;
	c->get_format = pick_cuda;
}

int tutti_decodes_on_cuda(const AVCodec *codec)
{
	const AVCodecHWConfig *h;
	for (int i = 0; (h = avcodec_get_hw_config(codec, i)); i++)
		if (h->device_type == AV_HWDEVICE_TYPE_CUDA && (h->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX))
			return 1;
	return 0;
}

void tutti_allow_marks(AVCodecContext *c) { c->flags |= AV_CODEC_FLAG_COPY_OPAQUE; }

int tutti_send_marked(AVCodecContext *c, const uint8_t *data, int size, int64_t mark)
{
	AVPacket *p = av_packet_alloc();
	int ret = p ? av_new_packet(p, size) : AVERROR(ENOMEM);
	if (ret >= 0) {
		memcpy(p->data, data, size);
		p->flags |= AV_PKT_FLAG_KEY;
		p->opaque = (void *)(intptr_t)mark;
		ret = avcodec_send_packet(c, p);
	}
	av_packet_free(&p);
	return ret;
}

int64_t tutti_mark(const AVFrame *f) { return (intptr_t)f->opaque; }

void tutti_flush(AVCodecContext *c) { avcodec_flush_buffers(c); }

int tutti_encoder_flushes(const AVCodecContext *c)
{
	return !!(c->codec->capabilities & AV_CODEC_CAP_ENCODER_FLUSH);
}

const void *tutti_pool(const AVFrame *f) { return f->hw_frames_ctx ? f->hw_frames_ctx->data : NULL; }

int tutti_layout(const AVFrame *f)
{
	if (!f->hw_frames_ctx)
		return AV_PIX_FMT_NONE;
	return ((const AVHWFramesContext *)f->hw_frames_ctx->data)->sw_format;
}

int tutti_copy_props(AVFrame *dst, const AVFrame *src) { return av_frame_copy_props(dst, src); }

int tutti_pad_even(AVFrame *dst, const AVFrame *src)
{
	for (int p = 0; p < 3; p++) {
		int sw = p ? (src->width + 1) / 2 : src->width, sh = p ? (src->height + 1) / 2 : src->height;
		int dw = p ? dst->width / 2 : dst->width, dh = p ? dst->height / 2 : dst->height;
		for (int y = 0; y < dh; y++) {
			const uint8_t *from = src->data[p] + (ptrdiff_t)(y < sh ? y : sh - 1) * src->linesize[p];
			uint8_t *to = dst->data[p] + (ptrdiff_t)y * dst->linesize[p];
			memcpy(to, from, sw);
			for (int x = sw; x < dw; x++)
				to[x] = from[sw - 1];
		}
	}
	av_frame_side_data_free(&dst->side_data, &dst->nb_side_data);
	return av_frame_copy_props(dst, src);
}
