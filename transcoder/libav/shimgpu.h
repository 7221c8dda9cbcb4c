// What go-astiav does not offer for codecs that run on a GPU and are kept from one
// segment to the next.
#ifndef TUTTI_LIBAV_SHIMGPU_H
#define TUTTI_LIBAV_SHIMGPU_H

#include <stdint.h>
#include <libavcodec/avcodec.h>

// What came of asking a decoder for frames on the GPU. libav asks for a format
// whenever it is about to make the device's decoder.
typedef struct TuttiPick {
	// made counts the device's decoders, refused the times that there was no way
	// to have one.
	int made, refused;
} TuttiPick;

// Makes a decoder, before it is opened, deliver frames on the GPU or none at all.
// pick has to outlive the decoder.
void tutti_pick_cuda(AVCodecContext *c, TuttiPick *pick);

// Whether a decoder could run on a GPU if the GPU can.
int tutti_decodes_on_cuda(const AVCodec *codec);

// Lets packets carry a mark to the frames they become.
void tutti_allow_marks(AVCodecContext *c);
// Sends a packet of these bytes with a mark above 0.
int tutti_send_marked(AVCodecContext *c, const uint8_t *data, int size, int64_t mark);
// The mark of the packet that a frame came from, 0 when it had none.
int64_t tutti_mark(const AVFrame *f);

// Readies a drained codec for another stream of the same kind.
void tutti_flush(AVCodecContext *c);
// Whether an encoder takes frames again after a drain and a flush.
int tutti_encoder_flushes(const AVCodecContext *c);

// Names the pool of GPU memory that a frame is from, NULL for frames elsewhere.
const void *tutti_pool(const AVFrame *f);
// The layout of a frame on the GPU.
int tutti_layout(const AVFrame *f);
// Copies times, colors and side data.
int tutti_copy_props(AVFrame *dst, const AVFrame *src);
// Copies 8-bit 4:2:0 into a frame that is as large or one row or column larger, and
// repeats the last ones there. src's properties come along.
int tutti_pad_even(AVFrame *dst, const AVFrame *src);

#endif
