// What go-astiav does not offer: frame facts in one call, frame preparation for
// encoders, scaling without range conversion, a bounded log, and heap trimming.
#ifndef TUTTI_LIBAV_SHIM_H
#define TUTTI_LIBAV_SHIM_H

#include <stdint.h>
#include <libavcodec/avcodec.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>

typedef struct TuttiFrameInfo {
	int64_t pts, best_effort, duration;
	int width, height, format;
	int key, corrupt, cut;
	int range, primaries, transfer, space, chroma;
	int sar_num, sar_den;
} TuttiFrameInfo;

void tutti_frame_info(const AVFrame *f, TuttiFrameInfo *out);

// Makes a frame ready for an encoder: times in the encoder's base, a picture
// type (0 lets the encoder choose), progressive.
void tutti_frame_prepare(AVFrame *f, int64_t pts, int64_t duration, int pict_type);

// Removes what must not be shown twice when a frame is repeated.
void tutti_frame_strip(AVFrame *f);

// A scaler to 8-bit 4:2:0 that keeps the sample range. NULL when it cannot be.
// With 0 threads it takes as many as there are cores.
struct SwsContext *tutti_scaler_new(const AVFrame *src, int dst_w, int dst_h, int threads);
void tutti_scaler_free(struct SwsContext *s);
// Scales into dst, whose buffers are allocated, and copies src's properties.
int tutti_scale(struct SwsContext *s, const AVFrame *src, AVFrame *dst);

// Whether frames of this pixel format are 8-bit 4:2:0 as they are.
int tutti_is_yuv420p(int format);

// Gives sound whose file does not say which channels it has the usual ones for their number.
void tutti_usual_channels(AVFrame *f);

// Brings samples of sound that are no numbers, or beyond full scale, into the range that encoders expect.
int tutti_clip_samples(AVFrame *f);

// How many frames a decoder holds back to put them in order.
int tutti_reorder(const AVCodecContext *c);

// Bytes of caption data attached to a frame.
int tutti_captions(const AVFrame *f);

// Prepares the process, once: the log callback, whose lines are kept in a small
// ring, and fewer separate heaps, whose unused parts would add up.
void tutti_process_setup(void);
// Copies the oldest kept line into buf and returns its length, 0 when none.
int tutti_log_next(char *buf, int size);

// What libav logged during one call. FFmpeg's error values do not tell a full GPU
// from a dead one; its words do.
// Lines that speak of the device have room of their own: a damaged stream fills the
// rest in no time.
typedef struct TuttiWords {
	size_t length;
	char text[1024];
} TuttiWords;

typedef struct TuttiCapture {
	TuttiWords device, rest;
} TuttiCapture;

// Empties a capture and lets it collect this thread's lines, until a call with NULL.
void tutti_capture(TuttiCapture *to);

// Gives free heap pages back to the system.
void tutti_trim(void);

#endif
